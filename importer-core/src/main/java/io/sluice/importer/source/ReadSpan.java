package io.sluice.importer.source;

/**
 * A stretch of one input that was read and is not to be read again: from the beginning of a record to the beginning of
 * another one, or the end.
 *
 * @param start byte offset in the input's text, as {@link Split#fileOffset} counts
 * @param end behind it
 * @param lines line ends in it
 * @param records rows in it, where {@link Framing#records} counts them; else 0
 * @param counted records in it that count against {@link SplitSource.Settings#recordLimit}; 0 when there is no limit
 * @param first whether no record lies before it
 * @param last whether nothing that is to be read lies behind it
 */
public record ReadSpan(long start, long end, long lines, long records, long counted, boolean first, boolean last) {
    /** Whether another one begins where this one ends. */
    boolean meets(ReadSpan next) {
        return end == next.start && !last;
    }

    /** This one and the one that begins where it ends. */
    ReadSpan and(ReadSpan next) {
        return new ReadSpan(
                start, next.end, lines + next.lines, records + next.records, counted + next.counted, first, next.last);
    }

    /** Whether it is all that is to be read of its input. */
    boolean whole() {
        return first && last;
    }
}
