package io.sluice.importer.source;

import org.jspecify.annotations.Nullable;

/**
 * Cuts a split into chunks of whole records, so that a worker can report its progress in smaller steps. Chunks share
 * the split's memory and are valid until the split is filled again. Reusable; for one worker.
 */
public final class SplitChunks {
    private final int chunkBytes;
    private final Split chunk = new Split(0);
    private @Nullable Split whole;
    private int at;
    private long storedGiven;

    /**
     * Cuts chunks of about {@code chunkBytes} of text, or of one record if it is longer. The last chunk of a split may
     * be half as large again.
     */
    public SplitChunks(int chunkBytes) {
        this.chunkBytes = chunkBytes;
    }

    /** Starts a split. */
    public void begin(Split split) {
        whole = split;
        at = split.start;
        storedGiven = 0;
    }

    /**
     * The next chunk, or null after the last one. A split that cannot be cut is one chunk: an empty split, an oversized
     * record, or a split of a file with a record limit.
     *
     * @param lines number of line ends in the split so far, as a decoder counts them
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
        chunk.firstRecord = first ? split.firstRecord : chunk.firstRecord + chunk.records;
        chunk.buffer = split.buffer;
        chunk.start = at;
        chunk.end = to;
        chunk.ordinal = split.ordinal;
        chunk.file = split.file;
        chunk.framing = split.framing;
        chunk.fileOffset = split.fileOffset;
        chunk.header = split.header;
        chunk.linesSkipped = first ? split.linesSkipped : lines;
        chunk.linesAfter = last ? split.linesAfter : 0;
        chunk.endInText = last ? split.endInText : split.fileOffset(to);
        chunk.records = split.framing().records(split.buffer, at, to);
        chunk.firstOfPart = first && split.firstOfPart;
        chunk.part = split.part;
        chunk.lastOfPart = last && split.lastOfPart;
        chunk.lastOfFile = last && split.lastOfFile;
        share(split, to, first);
        at = to;
        return chunk;
    }

    private int end(Split split) {
        boolean uncut = split.oversized || split.passedOver || split.counted > 0;
        if (uncut || split.end - at <= chunkBytes + chunkBytes / 2L) {
            return split.end;
        }
        int end = split.framing().lastRecordEnd(split.buffer, at, at + chunkBytes, false);
        return end > at ? end : split.framing().firstRecordEnd(split.buffer, at, split.end, true);
    }

    /** Assigns the chunk its share of the split's stored bytes. */
    private void share(Split split, int to, boolean first) {
        long stored = split.storedBytes - split.passedBytes;
        long given = (long) ((double) stored * (to - split.start) / (split.end - split.start));
        chunk.passedBytes = first ? split.passedBytes : 0;
        chunk.storedBytes = given - storedGiven + chunk.passedBytes;
        storedGiven = given;
    }
}
