package io.sluice.api.node;

import io.sluice.model.kv.KeySpan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A scan in index order.
 *
 * @param table name of the table
 * @param index name of the index, or null for the primary
 * @param from lower bound, inclusive: text datums of a prefix of the index's columns; empty: from the first row
 * @param to upper bound, exclusive: text datums of a prefix of the index's columns; empty: to the last row
 * @param limit maximum number of rows to return
 * @param within returns only index entries whose keys lie in this span; null: all
 * @param keysOnly whether to return primary keys only, one datum per primary key column, instead of whole rows
 * @param entryKeys whether each primary key is followed by the key of its entry in hex digits, without the suffix of a
 *     column family: another node can go on after it; no effect on whole rows
 */
public record ScanRequest(
        String table,
        @Nullable String index,
        List<@Nullable String> from,
        List<@Nullable String> to,
        long limit,
        @Nullable KeySpan within,
        boolean keysOnly,
        boolean entryKeys) {
    /** A scan for whole rows. */
    public ScanRequest(
            String table, @Nullable String index, List<@Nullable String> from, List<@Nullable String> to, long limit) {
        this(table, index, from, to, limit, null, false);
    }

    /** A scan for whole rows, or primary keys without the keys of entries. */
    public ScanRequest(
            String table,
            @Nullable String index,
            List<@Nullable String> from,
            List<@Nullable String> to,
            long limit,
            @Nullable KeySpan within,
            boolean keysOnly) {
        this(table, index, from, to, limit, within, keysOnly, false);
    }

    /** A copy for the index entries in a span. */
    public ScanRequest within(KeySpan span) {
        return new ScanRequest(table, index, from, to, limit, span, keysOnly, entryKeys);
    }
}
