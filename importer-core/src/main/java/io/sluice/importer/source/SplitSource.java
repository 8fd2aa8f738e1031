package io.sluice.importer.source;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hands the inputs out as {@link Split splits}, in order, to any number of workers.
 *
 * <p>Reading and cutting happen one split at a time under a lock: what is left of a record behind the last whole one is
 * carried to the front of the next split. So the state at the beginning of a split is always known, quoted newlines
 * need no guessing, and pipes work as files do. The serial part is a copy out of the page cache and a search for
 * quotes, together a few percent of what a worker then does with the split.
 */
public final class SplitSource implements AutoCloseable {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    /** The first splits are small, each twice the one before, so that all workers soon have something to do. */
    private static final int FIRST_SPLIT_BYTES = 2 << 20;

    /**
     * Records whose quoted line ends make them too long that one import puts up with. Each costs a search of as many
     * bytes as a record may have, 4 MiB by default: 1,000 of them are seconds, a million would be hours.
     */
    private static final int MAX_OVERSIZED = 1_000;

    private final List<InputFile> files;
    private final Framing formatFraming;
    private final Settings settings;

    /** That of the open file, which may know more than its format: see {@link Framing#behindHeader}. */
    private Framing framing;

    private int nextFile;
    private @Nullable InputFile file;
    private @Nullable ByteSource bytes;
    private byte[] carry = new byte[0];
    private int carryLength;
    /** Offset in the file of the first byte of the carry. */
    private long offset;

    /** Line ends passed since the previous split, to be counted in front of the next one. */
    private long linesPassed;

    /** Rows of the file that were handed out, where the framing counts them. */
    private long recordsPassed;

    private long recordsToSkip;
    private long recordsLeft;
    private boolean headerWanted;
    private int oversized;
    private byte @Nullable [] header;
    private long ordinal;
    private int splitBytes;
    private boolean stopped;

    /**
     * How to read.
     *
     * @param splitBytes how much to put into one split
     * @param maxRecordBytes longest record that is let through
     * @param skipRecords how many records at the beginning of each file to pass over
     * @param header whether a header record comes then
     * @param recordLimit how many records of each file to read; 0: all
     */
    public record Settings(int splitBytes, int maxRecordBytes, long skipRecords, boolean header, long recordLimit) {
        /** Settings that read all records. */
        public Settings(int splitBytes, int maxRecordBytes, long skipRecords, boolean header) {
            this(splitBytes, maxRecordBytes, skipRecords, header, 0);
        }
    }

    public SplitSource(List<InputFile> files, Framing framing, Settings settings) {
        this.files = List.copyOf(files);
        formatFraming = framing.limited(settings.maxRecordBytes);
        this.framing = formatFraming;
        this.settings = settings;
        splitBytes = Math.min(FIRST_SPLIT_BYTES, settings.splitBytes);
    }

    /**
     * Fills a split with the next records.
     *
     * @return false when there are no more; the split is then unchanged
     * @throws OperationFailedException when an input cannot be read
     */
    public synchronized boolean next(Split split) {
        while (!stopped && openFile()) {
            if (fill(split)) {
                split.ordinal = ordinal++;
                splitBytes = (int) Math.min(settings.splitBytes, 2L * splitBytes);
                return true;
            }
        }
        return false;
    }

    /** Makes {@link #next} answer false from now on. */
    public synchronized void stop() {
        stopped = true;
    }

    private boolean openFile() {
        if (bytes != null) {
            return true;
        }
        if (nextFile == files.size()) {
            return false;
        }
        file = files.get(nextFile++);
        try {
            bytes = ByteSource.open(file);
            carryLength = 0;
            offset = 0;
            linesPassed = 0;
            recordsPassed = 0;
            framing = formatFraming;
            recordsToSkip = settings.skipRecords;
            recordsLeft = settings.recordLimit;
            headerWanted = settings.header;
            header = null;
            if (framing.isText()) {
                skipByteOrderMark();
            }
        } catch (IOException e) {
            throw unreadable(e);
        }
        return true;
    }

    private void skipByteOrderMark() throws IOException {
        carry = ensure(carry, BYTE_ORDER_MARK.length);
        carryLength = source().fill(carry, 0, BYTE_ORDER_MARK.length);
        if (carryLength == BYTE_ORDER_MARK.length
                && Arrays.equals(carry, 0, carryLength, BYTE_ORDER_MARK, 0, carryLength)) {
            offset = carryLength;
            carryLength = 0;
        }
    }

    /** Reads whole records into the split; false when nothing is left of this file. */
    private boolean fill(Split split) {
        try {
            split.buffer = ensure(split.buffer, Math.max(splitBytes, carryLength));
            System.arraycopy(carry, 0, split.buffer, 0, carryLength);
            int filled = carryLength;
            int wanted = splitBytes;
            int end;
            boolean last;
            // The carry alone may hold whole records, and more bytes than one record may have.
            do {
                wanted = Math.max(wanted, filled);
                split.buffer = ensure(split.buffer, wanted);
                filled += source().fill(split.buffer, filled, wanted - filled);
                last = filled < wanted;
                end = framing.lastRecordEnd(split.buffer, 0, filled, last);
                wanted = Math.min(2 * wanted, enoughForOneRecord());
            } while (end == 0 && !last && filled < enoughForOneRecord());
            split.file = file;
            split.fileOffset = offset;
            split.oversized = end == 0 && filled > 0;
            split.linesSkipped = linesPassed;
            linesPassed = 0;
            if (split.oversized) {
                skipRecord(split, filled);
            } else {
                keep(split.buffer, end, filled);
                split.start = 0;
                split.end = end;
                offset += end;
                skipHead(split);
            }
            split.firstRecord = recordsPassed;
            recordsPassed += framing.records(split.buffer, split.start, split.end);
            boolean done = cutBehindLimit(split) || (last && carryLength == 0);
            if (done) {
                closeFile();
                requireHeader(split);
            }
            split.lastOfFile = done;
            split.header = header;
            boolean hasRecords = split.oversized || split.start < split.end;
            if (!hasRecords) {
                linesPassed = split.linesSkipped;
            }
            return hasRecords;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** The longest record that is let through, and CR and LF behind it. */
    private int enoughForOneRecord() {
        return (int) Math.min(Integer.MAX_VALUE - 8, settings.maxRecordBytes + 2L);
    }

    /** Counts the records of the split when their number is limited, and cuts behind the last; says whether it came. */
    private boolean cutBehindLimit(Split split) {
        if (settings.recordLimit == 0) {
            return false;
        }
        if (split.oversized) {
            recordsLeft--;
        }
        int pos = split.oversized ? split.end : split.start;
        while (recordsLeft > 0 && pos < split.end) {
            int end = framing.firstRecordEnd(split.buffer, pos, split.end, true);
            recordsLeft -= framing.isRecord(split.buffer, pos, end) ? 1 : 0;
            pos = end;
        }
        split.end = pos;
        return recordsLeft == 0;
    }

    private void keep(byte[] buffer, int from, int to) {
        carryLength = to - from;
        carry = ensure(carry, carryLength);
        System.arraycopy(buffer, from, carry, 0, carryLength);
    }

    /** Asks the framing whether a file may do without a header, when it has ended and had none. */
    private void requireHeader(Split split) {
        if (headerWanted && !split.oversized) {
            framing.behindHeader(new byte[0], split.file().name());
        }
    }

    /** Passes over a record that is too long, as far as its format says where to go on. */
    private void skipRecord(Split split, int filled) throws IOException {
        byte[] marker = framing.marker();
        if (marker == null) {
            skipLine(split, filled);
            return;
        }
        split.start = 0;
        split.end = filled;
        int overlap = Math.max(0, marker.length - 1);
        offset += filled - overlap;
        keep(split.buffer, filled - overlap, filled);
        readBehindMarker(marker, overlap);
    }

    /** Reads on until a marker has passed, and leaves what follows in the carry, whose bytes may be half of one. */
    private void readBehindMarker(byte[] marker, int overlap) throws IOException {
        carry = ensure(carry, overlap + settings.splitBytes);
        boolean last;
        do {
            int read = source().fill(carry, carryLength, settings.splitBytes);
            last = read < settings.splitBytes;
            carryLength += read;
            int found = marker.length == 0 ? -1 : OcfFraming.indexOf(carry, 0, carryLength, marker);
            int from = found >= 0 ? found + marker.length : Math.max(0, carryLength - overlap);
            offset += from;
            carryLength -= from;
            System.arraycopy(carry, from, carry, 0, carryLength);
            if (found >= 0) {
                return;
            }
        } while (!last);
        offset += carryLength;
        carryLength = 0;
    }

    /** Passes over the line in which a record that is too long began. */
    private void skipLine(Split split, int filled) throws IOException {
        split.start = 0;
        int lineEnd = firstLineEnd(split.buffer, filled);
        if (lineEnd < filled - 1 || (lineEnd < filled && split.buffer[lineEnd] == '\n')) {
            split.end = behindLineEnd(split.buffer, lineEnd, filled);
            keep(split.buffer, split.end, filled);
            offset += split.end;
            oversized++;
            if (oversized > MAX_OVERSIZED) {
                throw new BadInputException(split.file().name() + ": more than " + MAX_OVERSIZED
                        + " records are longer than " + settings.maxRecordBytes + " bytes, the last at byte "
                        + split.fileOffset + "; quotes open fields there and do not close them: check --quote"
                        + " (an empty argument switches quoting off) and --escape");
            }
            return;
        }
        split.end = filled;
        offset += filled;
        readBehindLine(lineEnd < filled);
    }

    /**
     * Reads on until a line has ended, and leaves what follows in the carry.
     *
     * @param carriageReturn whether the last byte read was a CR, which ended the line but may be half of a CRLF
     */
    private void readBehindLine(boolean carriageReturn) throws IOException {
        carry = ensure(carry, settings.splitBytes);
        boolean ended = carriageReturn;
        int read;
        do {
            read = source().fill(carry, 0, settings.splitBytes);
            int from;
            if (ended) {
                from = read > 0 && carry[0] == '\n' ? 1 : 0;
            } else {
                int lineEnd = firstLineEnd(carry, read);
                ended = lineEnd < read;
                linesPassed += ended ? 1 : 0;
                from = ended ? behindLineEnd(carry, lineEnd, read) : read;
                if (ended && from == read && carry[lineEnd] == '\r') {
                    offset += read;
                    continue;
                }
            }
            offset += from;
            carryLength = read - from;
            System.arraycopy(carry, from, carry, 0, carryLength);
            if (ended) {
                return;
            }
        } while (read == settings.splitBytes);
        carryLength = 0;
    }

    private static int firstLineEnd(byte[] buffer, int to) {
        int newline = Bytes.indexOf(buffer, 0, to, (byte) '\n');
        return Bytes.indexOf(buffer, 0, newline, (byte) '\r');
    }

    private static int behindLineEnd(byte[] buffer, int lineEnd, int to) {
        boolean two = buffer[lineEnd] == '\r' && lineEnd + 1 < to && buffer[lineEnd + 1] == '\n';
        return lineEnd + (two ? 2 : 1);
    }

    /** Moves the split's start behind records to skip and the header, and counts the line ends passed. */
    private void skipHead(Split split) {
        while (recordsToSkip > 0 && split.start < split.end) {
            split.start = recordEnd(split);
            recordsToSkip--;
        }
        while (headerWanted && recordsToSkip == 0 && split.start < split.end && !atRecord(split)) {
            split.start = recordEnd(split);
        }
        if (headerWanted && recordsToSkip == 0 && split.start < split.end) {
            int end = recordEnd(split);
            header = Arrays.copyOfRange(split.buffer, split.start, end);
            headerWanted = false;
            framing = framing.behindHeader(header, split.file().name());
            split.start = end;
        }
        if (framing.isText()) {
            split.linesSkipped += lineEnds(split.buffer, 0, split.start);
        }
    }

    private boolean atRecord(Split split) {
        return framing.isRecord(split.buffer, split.start, split.end);
    }

    private int recordEnd(Split split) {
        return framing.firstRecordEnd(split.buffer, split.start, split.end, true);
    }

    /** How many lines end in a range: at LF, CRLF, or a CR alone. */
    public static int lineEnds(byte[] buffer, int from, int to) {
        int lines = 0;
        for (int i = from; i < to; i++) {
            if (buffer[i] == '\n' || (buffer[i] == '\r' && (i + 1 == to || buffer[i + 1] != '\n'))) {
                lines++;
            }
        }
        return lines;
    }

    private static byte[] ensure(byte[] buffer, int length) {
        return buffer.length >= length ? buffer : Arrays.copyOf(buffer, length);
    }

    private ByteSource source() {
        if (bytes == null) {
            throw new IllegalStateException("no file is open");
        }
        return bytes;
    }

    private OperationFailedException unreadable(IOException e) {
        String name = file == null ? "input" : file.name();
        return new OperationFailedException(
                name + ": cannot be read at byte " + (offset + carryLength) + ": " + e.getMessage(), e);
    }

    private void closeFile() throws IOException {
        if (bytes != null) {
            bytes.close();
            bytes = null;
        }
    }

    @Override
    public synchronized void close() {
        stopped = true;
        try {
            closeFile();
        } catch (IOException e) {
            // Nothing was written to it, and all that was wanted from it has been read.
            bytes = null;
        }
    }
}
