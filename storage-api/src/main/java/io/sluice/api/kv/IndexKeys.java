package io.sluice.api.kv;

import io.sluice.api.row.Row;
import io.sluice.api.schema.Table;

/** Keys and key spans of one table's indexes, for readers. Immutable, usable by many threads. */
@SuppressWarnings("DoNotCallSuggester")
public final class IndexKeys {
    public IndexKeys(Table table) {
        throw new UnsupportedOperationException(table.name());
    }

    /** Key of the row's primary KV. Only the primary key columns need be set. */
    public byte[] primaryKey(Row row) {
        throw new UnsupportedOperationException();
    }

    /** Span that holds all keys of the index, and those of tables interleaved with it. */
    public KeySpan span(int indexOrdinal) {
        throw new UnsupportedOperationException();
    }

    /** What the keys of all rows that agree with this one on the first {@code columns} indexed columns begin with. */
    public byte[] prefix(int indexOrdinal, Row row, int columns) {
        throw new UnsupportedOperationException();
    }
}
