package io.sluice.importer.source;

import org.jspecify.annotations.Nullable;

/**
 * A stretch of one input that one worker decodes: whole records, in memory. A worker owns one Split and lets
 * {@link SplitSource#next} fill it again and again; the bytes are valid until then.
 */
public final class Split {
    /** Files have fewer than 2^40 splits, and there are fewer than 2^23 files. */
    private static final int FILE_SHIFT = 40;

    byte[] buffer;
    int start;
    int end;
    long ordinal;
    long storedBytes;
    long passedBytes;

    @Nullable
    InputFile file;

    /** Of the file, behind its header. */
    @Nullable
    Framing framing;

    long fileOffset;
    long linesSkipped;
    long firstRecord;
    boolean lastOfFile;
    boolean oversized;
    boolean passedOver;
    byte @Nullable [] header;
    /** Where in the text the next split will begin. */
    long endInText;

    /** Line ends behind its records that the next split will count. */
    long linesBehind;

    long records;
    long counted;
    boolean firstOfFile;

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

    /**
     * Place in the order of the whole input: splits of one file count up from 0 for the first file, from 2^40 for the
     * second, and so on. Which one comes next is said by {@link #nextOrdinal}.
     */
    public long ordinal() {
        return ordinal;
    }

    /** Ordinal of the split that follows this one in the whole input, if one follows. */
    public long nextOrdinal() {
        return lastOfFile ? ordinal(file().ordinal() + 1, 0) : ordinal + 1;
    }

    private static long ordinal(int file, long split) {
        return ((long) file << FILE_SHIFT) + split;
    }

    static long ordinal(InputFile file, long split) {
        return ordinal(file.ordinal(), split);
    }

    /** Whether it was filled from a file. */
    boolean isOf(InputFile other) {
        return other.equals(file);
    }

    /**
     * How many bytes of the file, as it is stored, were read since its previous split; 0 for a file that was not opened
     * because all of it was read before.
     */
    public long storedBytes() {
        return storedBytes;
    }

    /** How many of those were passed over, because they were read before. */
    public long passedBytes() {
        return passedBytes;
    }

    public InputFile file() {
        if (file == null) {
            throw new IllegalStateException("the split was not filled");
        }
        return file;
    }

    Framing framing() {
        if (framing == null) {
            throw new IllegalStateException("the split was not filled");
        }
        return framing;
    }

    /** Byte offset of a position in the buffer, in the file's text: decompressed, in UTF-8. */
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

    /** Whether there is nothing to decode, because all of the file was read before. */
    public boolean passedOver() {
        return passedOver;
    }

    /**
     * What of the file need not be read again once this split is done.
     *
     * @param lines how many lines end in it, as a decoder counts them
     */
    public ReadSpan span(long lines) {
        return new ReadSpan(
                fileOffset + start,
                endInText,
                lines - linesSkipped + linesBehind,
                records,
                counted,
                firstOfFile,
                lastOfFile);
    }

    /** The header record of the file, or null when files have none. */
    public byte @Nullable [] header() {
        return header;
    }
}
