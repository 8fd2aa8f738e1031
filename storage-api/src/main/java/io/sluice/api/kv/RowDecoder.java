package io.sluice.api.kv;

import io.sluice.api.row.Row;
import io.sluice.api.schema.Table;
import java.util.List;

/**
 * Turns the KVs of one table back into rows. Immutable, usable by many threads.
 *
 * <p>Decoding checks the form of the bytes but not their CRC, which costs as much again: see {@link #verifyCrc}. A
 * value cut off between two columns has a valid form, and only its CRC tells.
 */
public final class RowDecoder {
    private final List<IndexLayout> layouts;

    public RowDecoder(Table table) {
        layouts = IndexLayout.ofAll(table);
    }

    /**
     * Checks that a value begins with the CRC of its key and of itself.
     *
     * @throws CorruptKvException when it does not
     */
    public static void verifyCrc(byte[] key, byte[] value) {
        if (!KvCrc.matches(key, value)) {
            throw new CorruptKvException("the CRC of key and value is not the one stored", key);
        }
    }

    /**
     * Whether a key of the index's span is this index's own, and not that of a table interleaved in it.
     *
     * @throws CorruptKvException when it begins as the index's own, but does not go on as such
     */
    public boolean owns(int indexOrdinal, byte[] key) {
        IndexLayout layout = layouts.get(indexOrdinal);
        ByteCursor cursor = ByteCursor.ofKey(key);
        KeyPlan.Skipped skipped = layout.indexed.skip(cursor);
        if (skipped == KeyPlan.Skipped.FOREIGN) {
            return false;
        }
        if (implicitInKey(layout, skipped == KeyPlan.Skipped.WITH_NULL)) {
            layout.implicit.skip(cursor);
        }
        if (cursor.peek() == KeyEncoding.INTERLEAVED_SENTINEL) {
            return false;
        }
        expectEnd(cursor);
        return true;
    }

    /**
     * Fills all columns of the row from the KV of its primary index. Byte views point into the arrays given or into the
     * row.
     *
     * @throws CorruptKvException when the bytes are no primary KV of this table
     */
    public void decodePrimary(byte[] key, byte[] value, Row row) {
        IndexLayout layout = layouts.get(0);
        row.clear();
        ByteCursor keyCursor = ByteCursor.ofKey(key);
        layout.indexed.read(keyCursor, row);
        expectEnd(keyCursor);
        layout.tuple.read(ByteCursor.ofPayload(key, value, ValueEncoding.TUPLE), row);
    }

    /**
     * Fills the indexed, primary key and stored columns from the KV of a secondary index; the others become NULL. Byte
     * views point into the arrays given or into the row.
     *
     * @throws CorruptKvException when the bytes are no KV of this index
     */
    public void decodeSecondary(int indexOrdinal, byte[] key, byte[] value, Row row) {
        IndexLayout layout = layouts.get(indexOrdinal);
        if (indexOrdinal == 0) {
            throw new IllegalArgumentException("index 0 is the primary one");
        }
        row.clear();
        ByteCursor keyCursor = ByteCursor.ofKey(key);
        layout.indexed.read(keyCursor, row);
        if (implicitInKey(layout, layout.indexed.anyNull(row))) {
            layout.implicit.read(keyCursor, row);
        }
        expectEnd(keyCursor);
        ByteCursor payload = ByteCursor.ofPayload(key, value, ValueEncoding.BYTES);
        if (layout.unique) {
            layout.implicit.read(payload, row);
        }
        layout.tuple.read(payload, row);
    }

    private static boolean implicitInKey(IndexLayout layout, boolean anyNull) {
        return !layout.unique || anyNull;
    }

    private static void expectEnd(ByteCursor key) {
        if (key.readByte() != KeyEncoding.FAMILY_ZERO_SUFFIX || key.remaining() != 0) {
            throw key.corrupt("does not end as keys of column family 0 do");
        }
    }
}
