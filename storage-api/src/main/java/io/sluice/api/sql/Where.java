package io.sluice.api.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows by an index: those whose columns are in any of several ranges of it.
 *
 * @param ordinal position of the index in {@code Table.indexes()}; 0 is the primary one
 * @param ranges in no order, and some may share keys; none: no row matches
 */
public record Where(int ordinal, List<Range> ranges) {
    /** All rows, by the primary index. */
    public static final Where ALL = new Where(0, List.of(new Range(List.of(), null, null)));

    public Where {
        ranges = List.copyOf(ranges);
    }

    /** Whether it leaves nobody out. */
    public boolean all() {
        return equals(ALL);
    }

    /**
     * Consecutive keys of an index.
     *
     * @param equal datums of its first columns; null for NULL
     * @param lower least value of the next column, or null
     * @param upper greatest value of the next column, or null
     */
    public record Range(
            List<@Nullable String> equal,
            @Nullable Bound lower,
            @Nullable Bound upper) {
        /** Whether it has a bound besides what is equal. NULL is never within bounds. */
        public boolean bounded() {
            return lower != null || upper != null;
        }
    }

    /** An end of a range. */
    public record Bound(String text, boolean inclusive) {}
}
