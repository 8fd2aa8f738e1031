package io.sluice.importer.source;

import org.jspecify.annotations.Nullable;

/**
 * A stretch of one input that one worker decodes: whole records, in memory. A worker owns one Split and lets
 * {@link SplitSource#next} fill it again and again; the bytes are valid until then.
 */
public final class Split {
    byte[] buffer;
    int start;
    int end;
    long ordinal;

    @Nullable
    InputFile file;

    long fileOffset;
    long linesSkipped;
    long firstRecord;
    boolean lastOfFile;
    boolean oversized;
    byte @Nullable [] header;

    /** A split with room for {@code bytes}; the source makes room for longer records when it meets one. */
    public Split(int bytes) {
        buffer = new byte[bytes];
    }

    public byte[] buffer() {
        return buffer;
    }

    /** Where the first record begins. */
    public int start() {
        return start;
    }

    /** Behind the last record. */
    public int end() {
        return end;
    }

    /** Place in the order of the whole input, from 0, without gaps. */
    public long ordinal() {
        return ordinal;
    }

    public InputFile file() {
        if (file == null) {
            throw new IllegalStateException("the split was not filled");
        }
        return file;
    }

    /** Byte offset in the file of a position in the buffer. */
    public long fileOffset(int position) {
        return fileOffset + position;
    }

    /**
     * Line ends between the end of the previous split and {@link #start}: of skipped records, the header, and the rest
     * of a line that was too long.
     */
    public long linesSkipped() {
        return linesSkipped;
    }

    /** Rows of the file before this split, where {@link Framing#records} counts them; else 0. */
    public long firstRecord() {
        return firstRecord;
    }

    /** Whether the file ends with this split. */
    public boolean lastOfFile() {
        return lastOfFile;
    }

    /**
     * Whether this is the beginning of a record that is longer than the limit, to be rejected as a whole. Reading goes
     * on behind the line in which it began.
     */
    public boolean oversized() {
        return oversized;
    }

    /** The header record of the file, or null when files have none. */
    public byte @Nullable [] header() {
        return header;
    }
}
