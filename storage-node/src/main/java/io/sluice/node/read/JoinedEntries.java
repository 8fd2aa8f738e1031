package io.sluice.node.read;

import io.sluice.engine.store.Kv;
import io.sluice.model.kv.EntryKeys;
import io.sluice.model.kv.EntryKvs;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads entries of a table with several column families. It joins the KVs of each entry to the one KV that the entry
 * would have if all columns were in one family. For one thread.
 */
public final class JoinedEntries {
    private final EntryKvs codec;
    private final int ordinal;
    private final Supplier<@Nullable Kv> kvs;
    private @Nullable Kv ahead;
    private boolean begun;
    private byte[] key = {};

    /**
     * Creates an iterator over the entries of an index.
     *
     * @param ordinal position of the index
     * @param kvs supplies the index's KVs in key order, null after the last
     */
    public JoinedEntries(EntryKvs codec, int ordinal, Supplier<@Nullable Kv> kvs) {
        this.codec = codec;
        this.ordinal = ordinal;
        this.kvs = kvs;
    }

    /**
     * The next entry as one KV, or null after the last.
     *
     * @throws io.sluice.model.kv.CorruptKvException if the KVs are not those of an entry
     */
    public @Nullable Kv next() {
        if (!begun) {
            begun = true;
            ahead = kvs.get();
        }
        Kv first = ahead;
        if (first == null) {
            return null;
        }
        key = first.key();
        List<byte[]> keys = new ArrayList<>();
        List<byte[]> values = new ArrayList<>();
        Kv kv = first;
        while (kv != null && EntryKeys.same(first.key(), kv.key())) {
            keys.add(kv.key());
            values.add(kv.value());
            kv = kvs.get();
        }
        ahead = kv;
        return new Kv(first.key(), codec.join(ordinal, keys, values));
    }

    /** The first key of the entry that {@link #next} read last. */
    byte[] key() {
        return key;
    }

    /**
     * Reads one entry by its first key.
     *
     * @param values returns the values of keys in their order, null for a missing key; all of one snapshot
     * @return the value of the joined KV; null if there is no such entry
     */
    public static byte @Nullable [] value(
            EntryKvs codec, int ordinal, byte[] firstKey, Function<List<byte[]>, List<byte @Nullable []>> values) {
        List<byte[]> keys = keys(codec, ordinal, firstKey);
        return join(codec, ordinal, keys, values.apply(keys));
    }

    /** All keys that an entry may have, ascending. */
    public static List<byte[]> keys(EntryKvs codec, int ordinal, byte[] firstKey) {
        List<byte[]> keys = new ArrayList<>();
        keys.add(firstKey);
        keys.addAll(codec.otherKeys(ordinal, firstKey));
        return keys;
    }

    /**
     * Joins the values of all keys that an entry may have.
     *
     * @param keys as {@link #keys} returns them
     * @param found their values; null for a missing key
     * @return the value of the joined KV; null if the first key is missing
     */
    public static byte @Nullable [] join(
            EntryKvs codec, int ordinal, List<byte[]> keys, List<byte @Nullable []> found) {
        if (found.get(0) == null) {
            return null;
        }
        List<byte[]> present = new ArrayList<>();
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            byte[] value = found.get(i);
            if (value != null) {
                present.add(keys.get(i));
                values.add(value);
            }
        }
        return codec.join(ordinal, present, values);
    }
}
