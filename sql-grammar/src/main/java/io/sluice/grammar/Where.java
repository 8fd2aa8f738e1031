package io.sluice.grammar;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A condition: the rows whose index columns lie in any of several ranges of one index, and that pass a filter.
 *
 * @param ordinal position of the index in {@code Table.indexes()}; 0 is the primary index
 * @param ranges ranges in any order, which may overlap; empty: no row matches
 * @param filter condition on the rows in the ranges, of type BOOL; null: all of them match
 */
public record Where(
        int ordinal, List<Range> ranges, @Nullable Expression filter) {
    /** The condition that all rows match, on the primary index. */
    public static final Where ALL = new Where(0, List.of(new Range(List.of(), null, null)), null);

    public Where {
        ranges = List.copyOf(ranges);
    }

    /** A condition without filter. */
    public Where(int ordinal, List<Range> ranges) {
        this(ordinal, ranges, null);
    }

    /**
     * A range of index keys.
     *
     * @param equal datums that the first columns equal; null for NULL
     * @param lower lower bound of the next column, or null
     * @param upper upper bound of the next column, or null
     */
    public record Range(
            List<@Nullable String> equal,
            @Nullable Bound lower,
            @Nullable Bound upper) {
        /** Whether the range has a lower or upper bound. NULL is never within bounds. */
        public boolean bounded() {
            return lower != null || upper != null;
        }
    }

    /** A bound of a range. */
    public record Bound(String text, boolean inclusive) {}
}
