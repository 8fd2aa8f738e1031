package io.sluice.node.read;

import io.sluice.engine.store.Kv;
import io.sluice.model.kv.EntryKvs;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a secondary index's entries, in the order of the entries. They are fetched in batches that start small,
 * so that a reader of one row does not wait for hundreds. For one thread.
 */
final class FetchedRows {
    private static final int FIRST_BATCH = 4;
    /** Largest batch: 256 rows of some hundred bytes are still in a core's L2 cache when they are decoded. */
    private static final int MOST = 256;

    private final Supplier<@Nullable Kv> entries;
    private final Function<Kv, byte[]> primaryKey;
    private final Function<List<byte[]>, List<byte @Nullable []>> rows;
    /** Joins the KVs of a row; null: each row is one KV. */
    private final @Nullable EntryKvs codec;

    private final List<Kv> batch = new ArrayList<>();
    private final List<byte[]> keys = new ArrayList<>();
    private List<byte @Nullable []> values = List.of();
    /** Primary key of the row whose KVs were joined last. */
    private byte[] joining = {};

    private int size = FIRST_BATCH;
    private int at;

    /**
     * The row of one entry.
     *
     * @param entry entry of the secondary index
     * @param key primary key of the row
     * @param value the encoded row; null when it does not exist
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Fetched(Kv entry, byte[] key, byte @Nullable [] value) {}

    /**
     * Creates an iterator over rows.
     *
     * @param entries supplies the next entry, null after the last
     * @param primaryKey returns the primary key of an entry
     * @param rows returns the values of keys, null for a missing one
     * @param codec joins the KVs of a row; null: each row is one KV
     */
    FetchedRows(
            Supplier<@Nullable Kv> entries,
            Function<Kv, byte[]> primaryKey,
            Function<List<byte[]>, List<byte @Nullable []>> rows,
            @Nullable EntryKvs codec) {
        this.codec = codec;
        this.entries = entries;
        this.primaryKey = primaryKey;
        this.rows = rows;
    }

    /**
     * The next row, or null after the last.
     *
     * @param wanted most rows that the caller will read, including this one
     * @throws io.sluice.model.kv.CorruptKvException if the KVs of a row cannot be joined; {@link #joining} names it
     */
    @Nullable
    Fetched next(long wanted) {
        if (at == batch.size() && !fetch((int) Math.min(size, wanted))) {
            return null;
        }
        Fetched fetched = new Fetched(batch.get(at), keys.get(at), values.get(at));
        at++;
        return fetched;
    }

    /** The primary key of the row whose KVs were joined last: not that of the last entry in the batch. */
    byte[] joining() {
        return joining;
    }

    private List<byte @Nullable []> joined(EntryKvs of) {
        List<List<byte[]>> each =
                keys.stream().map(key -> JoinedEntries.keys(of, 0, key)).toList();
        List<byte @Nullable []> found =
                rows.apply(each.stream().flatMap(List::stream).toList());
        List<byte @Nullable []> joined = new ArrayList<>();
        int at = 0;
        for (List<byte[]> row : each) {
            joining = row.get(0);
            joined.add(JoinedEntries.join(of, 0, row, found.subList(at, at + row.size())));
            at += row.size();
        }
        return joined;
    }

    private boolean fetch(int count) {
        batch.clear();
        keys.clear();
        at = 0;
        while (batch.size() < count) {
            Kv entry = entries.get();
            if (entry == null) {
                break;
            }
            batch.add(entry);
            keys.add(primaryKey.apply(entry));
        }
        size = Math.min(MOST, size * 2);
        values = codec == null ? rows.apply(keys) : joined(codec);
        return !batch.isEmpty();
    }
}
