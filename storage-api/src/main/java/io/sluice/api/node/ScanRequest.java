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
 * @param content what the scan returns of each row
 */
public record ScanRequest(
        String table,
        @Nullable String index,
        List<@Nullable String> from,
        List<@Nullable String> to,
        long limit,
        @Nullable KeySpan within,
        Content content) {
    /** The part of each row that a scan returns. */
    public enum Content {
        /** All columns. */
        ROW,
        /** The primary key: one datum per primary key column. */
        KEY,
        /**
         * The primary key and the key of the index entry in hex digits, without the suffix of a column family: another
         * node can go on after it.
         */
        KEY_AND_ENTRY
    }

    /** A scan for whole rows. */
    public ScanRequest(
            String table, @Nullable String index, List<@Nullable String> from, List<@Nullable String> to, long limit) {
        this(table, index, from, to, limit, null, Content.ROW);
    }

    /** A copy for the index entries in a span. */
    public ScanRequest within(KeySpan span) {
        return new ScanRequest(table, index, from, to, limit, span, content);
    }
}
