package io.sluice.api.kv;

import io.sluice.api.row.Row;
import io.sluice.api.schema.Table;

/** Turns the KVs of one table back into rows. Immutable, usable by many threads. */
@SuppressWarnings("DoNotCallSuggester")
public final class RowDecoder {
    public RowDecoder(Table table) {
        throw new UnsupportedOperationException(table.name());
    }

    /** Whether a key of the index's span is this index's own, and not that of a table interleaved in it. */
    public boolean owns(int indexOrdinal, byte[] key) {
        throw new UnsupportedOperationException();
    }

    /**
     * Fills all columns of the row from the KV of its primary index. Byte views point into the arrays given or into the
     * row.
     */
    public void decodePrimary(byte[] key, byte[] value, Row row) {
        throw new UnsupportedOperationException();
    }

    /** Fills the indexed, primary key and stored columns from the KV of a secondary index; the others become NULL. */
    public void decodeSecondary(int indexOrdinal, byte[] key, byte[] value, Row row) {
        throw new UnsupportedOperationException();
    }
}
