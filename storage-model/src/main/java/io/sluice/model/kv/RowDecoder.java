package io.sluice.model.kv;

import io.sluice.model.kv.IndexLayout.FamilyLayout;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.util.List;

/**
 * Decodes the KVs of one table into rows. Immutable and thread-safe.
 *
 * <p>Decoding checks the format of the bytes but not their CRC, which would double the cost: see {@link KvCrc}. Only
 * the CRC detects a value that is truncated between two columns.
 */
public final class RowDecoder {
    private final List<IndexLayout> layouts;
    private final boolean severalFamilies;

    public RowDecoder(Table table) {
        layouts = IndexLayout.ofAll(table);
        severalFamilies = table.def().families() > 1;
    }

    /**
     * Whether a key in the index's span, of any column family, belongs to this index and not to an interleaved table.
     *
     * @throws CorruptKvException if the key begins with the index's prefix but is not a valid key of the index
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
        if (severalFamilies && cursor.peek() != KeyEncoding.FAMILY_ZERO_SUFFIX) {
            FamilyLayout unused = familyOf(layout, cursor);
            return true;
        }
        expectEnd(cursor);
        return true;
    }

    /**
     * Fills the row's columns of one column family from any KV of an index, and the columns of its key; the others
     * become NULL. Byte views point into the given arrays or into the row.
     *
     * @return position of the family among {@link KvEncoder#families}, from 1; 0 for family 0
     * @throws CorruptKvException if the bytes are not a KV of this index
     */
    public int decodeFamily(int indexOrdinal, byte[] key, byte[] value, Row row) {
        if (key.length > 0 && key[key.length - 1] == (byte) KeyEncoding.FAMILY_ZERO_SUFFIX) {
            if (indexOrdinal == 0) {
                decodePrimary(key, value, row);
            } else {
                decodeSecondary(indexOrdinal, key, value, row);
            }
            return 0;
        }
        row.clear();
        IndexLayout layout = layouts.get(indexOrdinal);
        ByteCursor keyCursor = ByteCursor.ofKey(key);
        layout.indexed.read(keyCursor, row);
        if (implicitInKey(layout, layout.indexed.anyNull(row))) {
            layout.implicit.read(keyCursor, row);
        }
        FamilyLayout family = familyOf(layout, keyCursor);
        readFamily(family, key, value, row);
        return 1 + layout.families.indexOf(family);
    }

    /**
     * Fills the row's columns of one column family other than 0; the others stay as they are.
     *
     * @param key a key of the entry whose family 0 is in the row
     */
    void addFamily(int indexOrdinal, byte[] key, byte[] value, Row row) {
        ByteCursor suffix = ByteCursor.ofKey(key);
        suffix.skip(EntryKeys.sharedBytes(key, 0, key.length));
        readFamily(familyOf(layouts.get(indexOrdinal), suffix), key, value, row);
    }

    private static void readFamily(FamilyLayout family, byte[] key, byte[] value, Row row) {
        if (family.single() >= 0) {
            ByteCursor payload = ByteCursor.ofPayload(key, value, SingleValues.type(family.shape()));
            SingleValues.read(family.shape(), payload, row, family.single());
        } else {
            family.tuple().read(ByteCursor.ofPayload(key, value, ValueEncoding.TUPLE), row);
        }
    }

    /** The family whose suffix is all that remains of a key. */
    private static FamilyLayout familyOf(IndexLayout layout, ByteCursor key) {
        for (FamilyLayout family : layout.families) {
            if (key.remaining() == family.suffix().length && key.skipIfNext(family.suffix())) {
                return family;
            }
        }
        throw key.corrupt("ends with a column family that the index does not have");
    }

    /**
     * Fills all columns of the row from its primary KV; of family 0, if the table has several. Byte views point into
     * the given arrays or into the row.
     *
     * @throws CorruptKvException if the bytes are not a primary KV of this table
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
     * views point into the given arrays or into the row.
     *
     * @throws CorruptKvException if the bytes are not a KV of this index
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
