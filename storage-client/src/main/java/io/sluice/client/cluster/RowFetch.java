package io.sluice.client.cluster;

import io.sluice.api.node.RowCursor;
import io.sluice.api.wire.Wire;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Fetches rows by the entries of a secondary index, in the index's order. The entries and the rows are on different
 * nodes, so rows are fetched by key, in parallel batches. Rows that are deleted meanwhile are passed over, and do not
 * count for the limit.
 */
final class RowFetch implements RowCursor {
    /** Rows per batch: 256 of some 300 bytes are less than a network buffer. */
    private static final int BATCH_ROWS = 256;

    private final int keyColumns;
    private final Entries entries;
    private final Function<List<Entry>, List<Optional<List<@Nullable String>>>> rowsOf;
    private final Deque<List<@Nullable String>> batch = new ArrayDeque<>();
    private RowCursor open;
    /** Number of entries without a row that count for the limit of the open cursor. */
    private long deleted;
    /** The key of the last entry that was read. */
    private byte @Nullable [] last;

    /** Reads entries of the index. */
    @FunctionalInterface
    interface Entries {
        /**
         * Opens a cursor over primary keys, each with the key of its entry.
         *
         * @param after key of the entry before the first; null: from the first one of the scan
         */
        RowCursor open(byte @Nullable [] after, long limit);
    }

    /**
     * An entry of the index.
     *
     * @param hexKey its key in hex digits, without the suffix of a column family; null: the node is of an earlier build
     */
    record Entry(List<String> primaryKey, @Nullable String hexKey) {
        static Entry of(List<@Nullable String> texts, int keyColumns) {
            List<String> primaryKey = texts.subList(0, keyColumns).stream()
                    .<String>map(Objects::requireNonNull)
                    .toList();
            return new Entry(primaryKey, texts.size() > keyColumns ? texts.get(keyColumns) : null);
        }

        byte @Nullable [] key() {
            return hexKey == null ? null : Wire.key("key of an entry", hexKey);
        }
    }

    /**
     * Creates a fetch.
     *
     * @param keyColumns number of columns of the primary key
     * @param limit maximum number of rows
     * @param rowsOf fetches the rows of entries, in the same order; none of an entry that was deleted with its row
     */
    RowFetch(
            int keyColumns,
            long limit,
            Entries entries,
            Function<List<Entry>, List<Optional<List<@Nullable String>>>> rowsOf) {
        this.keyColumns = keyColumns;
        this.entries = entries;
        this.rowsOf = rowsOf;
        open = entries.open(null, limit);
    }

    @Override
    public @Nullable List<@Nullable String> next() {
        while (batch.isEmpty()) {
            List<Entry> next = new ArrayList<>();
            while (next.size() < BATCH_ROWS) {
                List<@Nullable String> entry = open.next();
                if (entry == null) {
                    break;
                }
                next.add(Entry.of(entry, keyColumns));
            }
            if (!next.isEmpty()) {
                last = next.get(next.size() - 1).key();
                rowsOf.apply(next).forEach(row -> row.ifPresentOrElse(batch::add, () -> deleted++));
            } else if (deleted > 0) {
                open.close();
                open = entries.open(last, deleted);
                deleted = 0;
            } else {
                return null;
            }
        }
        return batch.pollFirst();
    }

    @Override
    public void close() {
        open.close();
    }
}
