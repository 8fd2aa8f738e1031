package io.sluice.importer.source;

/**
 * A span of one input that was read and is not read again: from the start of a record to the start of another one, or
 * to the end.
 *
 * @param start byte offset in the input's text, as {@link Split#fileOffset} counts
 * @param end byte offset after the span
 * @param lines number of line ends in the span
 * @param records number of rows in the span if {@link Framing#records} counts them; else 0
 * @param counted number of records that count against {@link SplitSource.Settings#recordLimit}; 0 without a limit
 * @param first whether no record comes before the span in its part of the input
 * @param last whether nothing to read comes after the span in its part of the input
 */
public record ReadSpan(long start, long end, long lines, long records, long counted, boolean first, boolean last) {
    /** Whether another span starts where this one ends. */
    boolean isFollowedBy(ReadSpan next) {
        return end == next.start && !last;
    }

    /** Joins this span with the one that starts where it ends. */
    ReadSpan join(ReadSpan next) {
        return new ReadSpan(
                start, next.end, lines + next.lines, records + next.records, counted + next.counted, first, next.last);
    }

    /** Whether the span is all that is to be read of its {@link InputPart}. */
    boolean whole() {
        return first && last;
    }

    /** Whether the span is all that is to be read of its input. */
    boolean wholeInput() {
        return whole() && !InputPart.isBeforeNext(end) && InputPart.isOfFirst(start);
    }
}
