package io.sluice.node.read;

import io.sluice.node.store.FamilyView;
import io.sluice.node.store.Kv;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rows that the entries of a secondary index point at, in the order of the entries. They are fetched some at a
 * time, few at first, so that whoever wants one row does not wait for hundreds. For one thread.
 */
final class FetchedRows {
    private static final int FIRST_BATCH = 4;
    /** 256 rows of some hundred bytes are in a core's second cache when they are decoded. */
    private static final int MOST = 256;

    private final Supplier<@Nullable Kv> entries;
    private final Function<Kv, byte[]> primaryKey;
    private final FamilyView view;
    private final List<Kv> batch = new ArrayList<>();
    private final List<byte[]> keys = new ArrayList<>();
    private List<byte @Nullable []> values = List.of();
    private int size = FIRST_BATCH;
    private int at;

    /**
     * A row that an entry points at.
     *
     * @param entry of the secondary index
     * @param key of the row
     * @param value the encoded row; null when there is none
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Fetched(Kv entry, byte[] key, byte @Nullable [] value) {}

    /**
     * Rows to fetch.
     *
     * @param entries the next one each time, null behind the last
     * @param primaryKey tells which row an entry points at
     */
    FetchedRows(Supplier<@Nullable Kv> entries, Function<Kv, byte[]> primaryKey, FamilyView view) {
        this.entries = entries;
        this.primaryKey = primaryKey;
        this.view = view;
    }

    /**
     * The next row, or null behind the last.
     *
     * @param wanted how many rows will be asked for at most, this one included
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
        values = view.rows(keys);
        return !batch.isEmpty();
    }
}
