package io.sluice.importer.source;

import org.jspecify.annotations.Nullable;

/**
 * A span of one input that one worker decodes: whole records, in memory. A worker owns one Split, which
 * {@link SplitSource#next} refills. The bytes are valid until the next refill.
 */
public final class Split {
    /** Files have fewer than 2^40 splits, and there are fewer than 2^23 files. */
    private static final int FILE_SHIFT = 40;

    /** Parts of files of several parts have fewer than 2^30 splits. */
    private static final int PART_SHIFT = 30;

    byte[] buffer;
    int start;
    int end;
    long ordinal;
    long storedBytes;
    long passedBytes;

    @Nullable
    InputFile file;

    /** Framing of the file after its header. */
    @Nullable
    Framing framing;

    long fileOffset;
    long linesSkipped;
    long firstRecord;
    boolean lastOfFile;
    /** Number of the input's part, from 0. */
    int part;

    boolean lastOfPart;
    boolean oversized;
    boolean passedOver;
    byte @Nullable [] header;
    /** Offset in the text where the next split starts. */
    long endInText;

    /** Line ends after the split's records that the next split counts. */
    long linesAfter;

    long records;
    long counted;
    boolean firstOfPart;

    /** Creates a split with room for {@code bytes}; the source enlarges it for longer records. */
    public Split(int bytes) {
        buffer = new byte[bytes];
    }

    public byte[] buffer() {
        return buffer;
    }

    /** Offset of the first record in the buffer. */
    public int start() {
        return start;
    }

    /** Offset after the last record in the buffer. */
    public int end() {
        return end;
    }

    /**
     * Position in the order of the whole input. Splits of the first file count from 0, of the second from 2^40, and so
     * on; those of a file's second part from 2^30. {@link #nextOrdinal} gives the next one.
     */
    public long ordinal() {
        return ordinal;
    }

    /** Ordinal of the split that follows this one in the whole input, if one follows. */
    public long nextOrdinal() {
        return lastOfFile
                ? ordinal(file().ordinal() + 1, 0, 0)
                : lastOfPart ? ordinal(file().ordinal(), part + 1, 0) : ordinal + 1;
    }

    /** Ordinal of the first split of an input. */
    public static long firstOrdinal(InputFile input) {
        return ordinal(input.ordinal(), 0, 0);
    }

    private static long ordinal(int file, int part, long split) {
        return ((long) file << FILE_SHIFT) + ((long) part << PART_SHIFT) + split;
    }

    static long ordinal(InputPart part, long split) {
        return ordinal(part.file().ordinal(), part.index(), split);
    }

    /** Whether the split was filled from a file. */
    boolean isOf(InputFile other) {
        return other.equals(file);
    }

    /** Whether the split comes after a part and its splits. */
    boolean isAfter(InputPart other) {
        int files = Integer.compare(file().ordinal(), other.file().ordinal());
        return files > 0 || (files == 0 && part > other.index());
    }

    /**
     * Stored bytes of the file that were read since its previous split. 0 if the file was not opened, because an
     * earlier run has read all of it.
     */
    public long storedBytes() {
        return storedBytes;
    }

    /** Number of those bytes that were skipped, since an earlier run has read them. */
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
     * Line ends between the end of the previous split and {@link #start}: those of skipped records, the header, and the
     * rest of an oversized line.
     */
    public long linesSkipped() {
        return linesSkipped;
    }

    /** Number of rows of the file before this split if {@link Framing#records} counts them; else 0. */
    public long firstRecord() {
        return firstRecord;
    }

    /** Whether the file ends with this split. */
    public boolean lastOfFile() {
        return lastOfFile;
    }

    /**
     * Whether this is the start of an oversized record, to be rejected as a whole. Reading continues after the line in
     * which it starts.
     */
    public boolean oversized() {
        return oversized;
    }

    /** Whether the split is empty because an earlier run has read all of the file. */
    public boolean passedOver() {
        return passedOver;
    }

    /**
     * The span of the file that need not be read again once this split is done.
     *
     * @param lines number of line ends in the split, as a decoder counts them
     */
    public ReadSpan span(long lines) {
        return new ReadSpan(
                fileOffset + start,
                endInText,
                lines - linesSkipped + linesAfter,
                records,
                counted,
                firstOfPart,
                lastOfPart);
    }

    /** The header record of the file, or null without one. */
    public byte @Nullable [] header() {
        return header;
    }
}
