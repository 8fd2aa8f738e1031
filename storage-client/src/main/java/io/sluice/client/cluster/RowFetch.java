package io.sluice.client.cluster;

import io.sluice.api.node.RowCursor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Fetches rows by the primary keys of a secondary index, in the index's order. The entries and the rows are on
 * different nodes, so rows are fetched by key, in parallel batches.
 */
final class RowFetch implements RowCursor {
    /** Rows per batch: 256 of some 300 bytes are less than a network buffer. */
    private static final int BATCH_ROWS = 256;

    private final RowCursor keys;
    private final UnaryOperator<List<List<@Nullable String>>> rowsOf;
    private final Deque<List<@Nullable String>> batch = new ArrayDeque<>();

    /**
     * Creates a fetch.
     *
     * @param keys primary keys; closed with this cursor
     * @param rowsOf fetches the rows of keys, in the same order
     */
    RowFetch(RowCursor keys, UnaryOperator<List<List<@Nullable String>>> rowsOf) {
        this.keys = keys;
        this.rowsOf = rowsOf;
    }

    @Override
    public @Nullable List<@Nullable String> next() {
        if (batch.isEmpty()) {
            List<List<@Nullable String>> next = new ArrayList<>();
            while (next.size() < BATCH_ROWS) {
                List<@Nullable String> key = keys.next();
                if (key == null) {
                    break;
                }
                next.add(key);
            }
            batch.addAll(rowsOf.apply(next));
        }
        return batch.pollFirst();
    }

    @Override
    public void close() {
        keys.close();
    }
}
