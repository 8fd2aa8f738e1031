package io.sluice.importer.source;

import io.sluice.importer.source.parquet.ParquetFooter;
import org.jspecify.annotations.Nullable;

/**
 * A part of an input that is cut into splits by itself: a run of row groups of a Parquet file, or all of any other
 * input. Positions in the text of part {@code n} begin at {@code n * 2^36}, so they ascend through the whole input.
 *
 * @param file the input
 * @param index number of the part, from 0
 * @param footer the parts of a Parquet file of several; null for an input that is read as a whole, or is not open yet
 */
record InputPart(InputFile file, int index, @Nullable ParquetFooter footer) {
    /** 2^36 bytes: 64 GiB of converted rows in a part. */
    private static final int OFFSET_SHIFT = 36;

    /** Whether the input has other parts. */
    boolean several() {
        return footer != null;
    }

    boolean isLast() {
        return footer == null || index == footer.parts() - 1;
    }

    /** Offset of the part's text. */
    long offset() {
        return (long) index << OFFSET_SHIFT;
    }

    /** Offset of the next part's text. */
    long nextOffset() {
        return (index + 1L) << OFFSET_SHIFT;
    }

    /** Whether the part, one of several, has the span. */
    boolean has(ReadSpan span) {
        return span.start() >= offset() && span.start() < nextOffset();
    }

    /** Number of rows before the part. */
    long firstRecord() {
        return footer == null ? 0 : footer.firstRow(index);
    }

    /** Whether a span that ends there is followed by another part. */
    static boolean isBeforeNext(long endOffset) {
        return endOffset > 0 && (endOffset & ((1L << OFFSET_SHIFT) - 1)) == 0;
    }

    /** Whether a position is in the first part, or in an input of one part. */
    static boolean isOfFirst(long offset) {
        return offset >> OFFSET_SHIFT == 0;
    }
}
