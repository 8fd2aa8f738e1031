package io.sluice.importer.source;

import org.jspecify.annotations.Nullable;

/**
 * Hands a split out in pieces of whole records, for whoever wants to say in smaller steps how far it is. Pieces lie in
 * the split's memory and are valid as long as it is. Used by one worker, for one split after the other.
 */
public final class SplitChunks {
    private final int pieceBytes;
    private final Split piece = new Split(0);
    private @Nullable Split whole;
    private int at;
    private long storedGiven;

    /**
     * Pieces of about {@code pieceBytes} of text; of the length of a record where that is longer. The last one of a
     * split has up to half as much more.
     */
    public SplitChunks(int pieceBytes) {
        this.pieceBytes = pieceBytes;
    }

    /** Begins with a split. */
    public void begin(Split split) {
        whole = split;
        at = split.start;
        storedGiven = 0;
    }

    /**
     * The next piece; null when there are no more. A split that cannot be cut is a piece itself: one that is empty, one
     * record that is too long, or of a file of which only some records are read.
     *
     * @param lines how many lines have ended in the split so far, as a decoder counts them
     */
    public @Nullable Split next(long lines) {
        Split split = whole;
        if (split == null) {
            return null;
        }
        int to = end(split);
        boolean first = at == split.start;
        boolean last = to == split.end;
        if (last) {
            whole = null;
        }
        if (first && last) {
            return split;
        }
        piece.firstRecord = first ? split.firstRecord : piece.firstRecord + piece.records;
        piece.buffer = split.buffer;
        piece.start = at;
        piece.end = to;
        piece.ordinal = split.ordinal;
        piece.file = split.file;
        piece.framing = split.framing;
        piece.fileOffset = split.fileOffset;
        piece.header = split.header;
        piece.linesSkipped = first ? split.linesSkipped : lines;
        piece.linesBehind = last ? split.linesBehind : 0;
        piece.endInText = last ? split.endInText : split.fileOffset(to);
        piece.records = split.framing().records(split.buffer, at, to);
        piece.firstOfFile = first && split.firstOfFile;
        piece.lastOfFile = last && split.lastOfFile;
        share(split, to, first);
        at = to;
        return piece;
    }

    private int end(Split split) {
        boolean uncut = split.oversized || split.passedOver || split.counted > 0;
        if (uncut || split.end - at <= pieceBytes + pieceBytes / 2L) {
            return split.end;
        }
        int end = split.framing().lastRecordEnd(split.buffer, at, at + pieceBytes, false);
        return end > at ? end : split.framing().firstRecordEnd(split.buffer, at, split.end, true);
    }

    /** Gives the piece its share of the bytes that the split takes where it is stored. */
    private void share(Split split, int to, boolean first) {
        long stored = split.storedBytes - split.passedBytes;
        long given = (long) ((double) stored * (to - split.start) / (split.end - split.start));
        piece.passedBytes = first ? split.passedBytes : 0;
        piece.storedBytes = given - storedGiven + piece.passedBytes;
        storedGiven = given;
    }
}
