package io.sluice.model.kv;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Joins the KVs that an entry has in several column families to one KV, and splits that again. The joined KV is the one
 * that the entry would have if all columns were in one family. So most readers and writers of rows need not know about
 * families. Not thread-safe.
 */
public final class EntryKvs {
    private final Table joined;
    private final RowDecoder familyDecoder;
    private final RowDecoder joinedDecoder;
    private final List<IndexEncoder> familyEncoders;
    private final List<IndexEncoder> joinedEncoders;
    private final List<List<byte[]>> suffixes;
    private final Row row;
    private byte[] buffer = {};

    private EntryKvs(Table table) {
        joined = table.inOneFamily();
        familyDecoder = new RowDecoder(table);
        joinedDecoder = new RowDecoder(joined);
        familyEncoders = IndexEncoder.ofAll(table);
        joinedEncoders = IndexEncoder.ofAll(joined);
        suffixes = IndexLayout.ofAll(table).stream()
                .map(layout -> layout.families.stream()
                        .map(IndexLayout.FamilyLayout::suffix)
                        .toList())
                .toList();
        row = new Row(table.def().columns().size());
    }

    /** Creates the codec of a table; null if the table has one family, so that each entry is one KV. */
    public static @Nullable EntryKvs of(Table table) {
        return table.def().families() == 1 ? null : new EntryKvs(table);
    }

    /** The table whose KVs the joined ones are: all columns are in one family. */
    public Table joined() {
        return joined;
    }

    /** The keys that the other KVs of an entry may have, ascending. */
    public List<byte[]> otherKeys(int ordinal, byte[] firstKey) {
        int shared = firstKey.length - 1;
        List<byte[]> keys = new ArrayList<>();
        for (byte[] suffix : suffixes.get(ordinal)) {
            byte[] key = Arrays.copyOf(firstKey, shared + suffix.length);
            System.arraycopy(suffix, 0, key, shared, suffix.length);
            keys.add(key);
        }
        return keys;
    }

    /**
     * Joins the KVs of an entry.
     *
     * @param keys the key of family 0, then those of other families, ascending
     * @param values their values
     * @return the value of the joined KV, whose key is the first one
     * @throws CorruptKvException if the KVs are not of one entry of the index
     */
    public byte[] join(int ordinal, List<byte[]> keys, List<byte[]> values) {
        byte[] first = keys.get(0);
        if (ordinal == 0) {
            familyDecoder.decodePrimary(first, values.get(0), row);
        } else {
            familyDecoder.decodeSecondary(ordinal, first, values.get(0), row);
        }
        for (int i = 1; i < keys.size(); i++) {
            if (!EntryKeys.same(first, keys.get(i))) {
                throw new CorruptKvException("key is not of the entry whose first key is before it", keys.get(i));
            }
            familyDecoder.addFamily(ordinal, keys.get(i), values.get(i), row);
        }
        IndexEncoder encoder = joinedEncoders.get(ordinal);
        long lengths = encode(encoder);
        int keyLength = (int) (lengths >>> Integer.SIZE);
        return Arrays.copyOfRange(buffer, keyLength, keyLength + (int) lengths);
    }

    /** Splits a joined KV into the KVs of its entry, which the receiver gets in key order. */
    public void split(int ordinal, byte[] key, byte[] value, BiConsumer<byte[], byte[]> receiver) {
        if (ordinal == 0) {
            joinedDecoder.decodePrimary(key, value, row);
        } else {
            joinedDecoder.decodeSecondary(ordinal, key, value, row);
        }
        IndexEncoder first = familyEncoders.get(ordinal);
        pass(encode(first), receiver);
        for (KvEncoder family : first.families()) {
            long lengths = encode(family);
            if (lengths != 0) {
                pass(lengths, receiver);
            }
        }
    }

    private long encode(KvEncoder encoder) {
        int most = encoder.maxBytes(row);
        if (buffer.length < most) {
            buffer = new byte[most];
        }
        return encoder.encode(row, buffer, 0);
    }

    private void pass(long lengths, BiConsumer<byte[], byte[]> receiver) {
        int keyLength = (int) (lengths >>> Integer.SIZE);
        receiver.accept(
                Arrays.copyOf(buffer, keyLength), Arrays.copyOfRange(buffer, keyLength, keyLength + (int) lengths));
    }
}
