package io.sluice.importer.source;

import io.sluice.importer.source.SplitSource.Settings;
import io.sluice.importer.source.codec.CorruptInputException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Cuts one input into splits from its start to its end. For one thread at a time.
 *
 * <p>The start of an incomplete record is carried over to the next split. So the state at the start of a split is
 * always known, quoted newlines need no guessing, and pipes work like files.
 */
final class FileSplits {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    /**
     * Most oversized records of one input. Each costs a search of as many bytes as a record may have, 4 MiB by default:
     * 1,000 of them take seconds, a million would take hours.
     */
    private static final int MAX_OVERSIZED = 1_000;

    private final InputFile file;
    private final Settings settings;
    private final int aheadBytes;
    /** The framing of the format until the header was read, then that of {@link Framing#afterHeader}. */
    private Framing framing;

    private volatile @Nullable ByteSource bytes;
    private byte[] carry = new byte[0];
    private int carryLength;
    /** Offset in the text of the first byte of the carry. */
    private long offset;

    /** Line ends skipped since the previous split, to be counted before the next one. */
    private long linesPassed;

    /** Rows handed out, if the framing counts them. */
    private long recordsPassed;

    private long recordsToSkip;
    private long recordsLeft;
    private boolean headerWanted;
    private byte @Nullable [] header;
    private int oversized;
    private int splitBytes;
    private long splits;
    private long storedBytesGiven;
    /** Stored bytes that were skipped for the next split, since an earlier run has read them. */
    private long passedBytes;

    private boolean ended;
    /** Spans that earlier runs have read, ascending. */
    private final Deque<ReadSpan> done;
    /** Whether records were handed out or skipped. */
    private boolean afterFirst;

    /**
     * Creates the splits of an input without opening it.
     *
     * @param splitBytes size of the first split; each later one is twice as large, up to the setting
     * @param aheadBytes bytes that a separate thread may read ahead; 0: no read-ahead
     * @param done spans that earlier runs have read, ascending; owned by this object
     */
    FileSplits(
            InputFile file, Framing framing, Settings settings, int splitBytes, int aheadBytes, Deque<ReadSpan> done) {
        this.file = file;
        this.framing = framing;
        this.settings = settings;
        this.splitBytes = splitBytes;
        this.aheadBytes = aheadBytes;
        this.done = done;
        recordsToSkip = settings.skipRecords();
        recordsLeft = settings.recordLimit();
        headerWanted = settings.header();
    }

    InputFile file() {
        return file;
    }

    /** Whether the last split has been filled. */
    boolean ended() {
        return ended;
    }

    /** Whether other workers should wait for the next split, since cutting it is faster than opening another input. */
    boolean isQuick() {
        ByteSource source = bytes;
        return source == null ? !file.isCostly() : !source.readsAhead();
    }

    /**
     * Fills a split with the next records. The last one of an input has {@link Split#lastOfFile} set and may be empty.
     *
     * @throws BadInputException when the input is damaged
     * @throws OperationFailedException when the input cannot be read
     */
    void next(Split split) {
        split.passedOver = false;
        passedBytes = 0;
        try {
            if (bytes == null && !done.isEmpty() && done.getFirst().whole()) {
                skipAll(split);
                return;
            }
            if (bytes == null) {
                bytes = ByteSource.open(file, framing.isText(), aheadBytes);
                if (framing.isText()) {
                    skipByteOrderMark();
                }
            }
            boolean filled = false;
            while (!filled && !ended) {
                filled = fill(split);
            }
            split.ordinal = Split.ordinal(file, splits++);
            long storedBytes = source().storedBytes();
            split.storedBytes = storedBytes - storedBytesGiven;
            storedBytesGiven = storedBytes;
            split.passedBytes = passedBytes;
            splitBytes = (int) Math.min(settings.splitBytes(), 2L * splitBytes);
            if (ended) {
                source().close();
                file.origin().ensureUnchanged();
            }
        } catch (CorruptInputException e) {
            throw new BadInputException(file.name() + ": " + e.getMessage() + ". Nothing was imported", e);
        } catch (IOException e) {
            throw new OperationFailedException(
                    file.name() + ": cannot be read at byte " + (offset + carryLength) + ": " + reason(e), e);
        }
    }

    /** Ends an input without opening it, since an earlier run has read all of it. */
    private void skipAll(Split split) {
        endAfter(done.removeFirst(), split);
        split.ordinal = Split.ordinal(file, splits++);
        split.storedBytes = 0;
        split.passedBytes = 0;
    }

    /** Makes the split the empty last one of the file, after a span that an earlier run has read. */
    private void endAfter(ReadSpan span, Split split) {
        ended = true;
        offset = span.end();
        split.file = file;
        split.start = 0;
        split.end = 0;
        split.fileOffset = offset;
        split.linesSkipped = 0;
        split.firstRecord = recordsPassed;
        split.oversized = false;
        split.passedOver = true;
        split.header = header;
        describe(split, 0, 0);
    }

    /** Sets the split's position in the file. */
    private void describe(Split split, long records, long counted) {
        split.records = records;
        split.counted = counted;
        split.endInText = offset;
        split.linesAfter = linesPassed;
        split.firstOfFile = !afterFirst;
        split.lastOfFile = ended;
    }

    private static String reason(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    /** Size of the next split in bytes. */
    int splitBytes() {
        return splitBytes;
    }

    /** Stops waiting for bytes that are read ahead; a copy without read-ahead ends soon anyway. */
    void stop() {
        ByteSource source = bytes;
        if (source != null && source.readsAhead()) {
            close();
        }
    }

    /** Stops reading. Safe while another thread is in {@link #next}. */
    void close() {
        ByteSource source = bytes;
        if (source != null) {
            try {
                source.close();
            } catch (IOException e) {
                // Harmless: the source was only read, and is not needed any more.
                ended = true;
            }
        }
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

    /** Skips the spans that start here; false if the last of them ends the file. */
    private boolean skipDone(Split split) throws IOException {
        while (!done.isEmpty() && done.getFirst().start() <= offset) {
            ReadSpan span = done.removeFirst();
            long length = span.end() - span.start();
            int carried = (int) Math.min(length, carryLength);
            keep(carry, carried, carryLength);
            long storedBefore = source().storedBytes();
            boolean skipped = source().skip(length - carried);
            passedBytes += source().storedBytes() - storedBefore;
            if (span.start() < offset || !skipped) {
                throw new BadInputException(file.name() + ": changed since the import began: the part that was"
                        + " imported already ended at byte " + span.end()
                        + " of its text. Start the import again under another --job-id");
            }
            offset = span.end();
            linesPassed += span.lines();
            recordsPassed += span.records();
            recordsLeft -= span.counted();
            afterFirst = true;
            if (span.last()) {
                endAfter(span, split);
                return false;
            }
        }
        return true;
    }

    /** Reads whole records into the split; false if there were none. */
    private boolean fill(Split split) throws IOException {
        if (!skipDone(split)) {
            return true;
        }
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
            end = beforeDone(framing.lastRecordEnd(split.buffer, 0, filled, last));
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
        long records = framing.records(split.buffer, split.start, split.end);
        recordsPassed += records;
        long leftBefore = recordsLeft;
        ended = cutAtLimit(split) || (last && carryLength == 0);
        if (ended) {
            requireHeader(split);
        }
        split.header = header;
        split.framing = framing;
        boolean hasRecords = split.oversized || split.start < split.end;
        describe(split, records, leftBefore - recordsLeft);
        afterFirst |= hasRecords;
        if (!hasRecords) {
            linesPassed = split.linesSkipped;
        }
        return hasRecords;
    }

    /** Limits the records to hand out: a span that an earlier run has read starts with a record and is skipped. */
    private int beforeDone(int end) {
        ReadSpan next = done.peekFirst();
        return next == null ? end : (int) Math.min(end, next.start() - offset);
    }

    /** Length of the longest allowed record with CR and LF. */
    private int enoughForOneRecord() {
        return (int) Math.min(Integer.MAX_VALUE - 8, settings.maxRecordBytes() + 2L);
    }

    /**
     * Counts the split's records if their number is limited, and cuts after the last one; returns whether it was
     * reached.
     */
    private boolean cutAtLimit(Split split) {
        if (settings.recordLimit() == 0) {
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

    /** Lets the framing check a file that ended without a header. */
    private void requireHeader(Split split) {
        if (headerWanted && !split.oversized) {
            framing.afterHeader(new byte[0], split.file().name());
        }
    }

    /** Skips an oversized record up to the next position where its format can continue. */
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
        skipPastMarker(marker, overlap);
    }

    /**
     * Skips to the end of the next marker and keeps the bytes after it in the carry. The carry may hold the first part
     * of the marker.
     */
    private void skipPastMarker(byte[] marker, int overlap) throws IOException {
        carry = ensure(carry, overlap + settings.splitBytes());
        boolean last;
        do {
            int read = source().fill(carry, carryLength, settings.splitBytes());
            last = read < settings.splitBytes();
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

    /** Skips the line in which an oversized record starts. */
    private void skipLine(Split split, int filled) throws IOException {
        split.start = 0;
        int lineEnd = firstLineEnd(split.buffer, filled);
        if (lineEnd < filled - 1 || (lineEnd < filled && split.buffer[lineEnd] == '\n')) {
            split.end = afterLineEnd(split.buffer, lineEnd, filled);
            keep(split.buffer, split.end, filled);
            offset += split.end;
            oversized++;
            if (oversized > MAX_OVERSIZED) {
                throw new BadInputException(split.file().name() + ": more than " + MAX_OVERSIZED
                        + " records are longer than " + settings.maxRecordBytes() + " bytes, the last at byte "
                        + split.fileOffset + "; quotes open fields there and do not close them: check --quote"
                        + " (an empty argument switches quoting off) and --escape");
            }
            return;
        }
        split.end = filled;
        offset += filled;
        skipPastLine(lineEnd < filled);
    }

    /**
     * Skips to the end of the line and keeps the bytes after it in the carry.
     *
     * @param carriageReturn whether the last byte read was a CR, which ended the line but may be the first half of a
     *     CRLF
     */
    private void skipPastLine(boolean carriageReturn) throws IOException {
        carry = ensure(carry, settings.splitBytes());
        boolean ended = carriageReturn;
        int read;
        do {
            read = source().fill(carry, 0, settings.splitBytes());
            int from;
            if (ended) {
                from = read > 0 && carry[0] == '\n' ? 1 : 0;
            } else {
                int lineEnd = firstLineEnd(carry, read);
                ended = lineEnd < read;
                linesPassed += ended ? 1 : 0;
                from = ended ? afterLineEnd(carry, lineEnd, read) : read;
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
        } while (read == settings.splitBytes());
        carryLength = 0;
    }

    private static int firstLineEnd(byte[] buffer, int to) {
        int newline = Bytes.indexOf(buffer, 0, to, (byte) '\n');
        return Bytes.indexOf(buffer, 0, newline, (byte) '\r');
    }

    private static int afterLineEnd(byte[] buffer, int lineEnd, int to) {
        boolean two = buffer[lineEnd] == '\r' && lineEnd + 1 < to && buffer[lineEnd + 1] == '\n';
        return lineEnd + (two ? 2 : 1);
    }

    /** Moves the split's start past records to skip and the header, and counts the line ends skipped. */
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
            framing = framing.afterHeader(header, split.file().name());
            split.start = end;
        }
        if (framing.isText()) {
            split.linesSkipped += SplitSource.lineEnds(split.buffer, 0, split.start);
        }
    }

    private boolean atRecord(Split split) {
        return framing.isRecord(split.buffer, split.start, split.end);
    }

    private int recordEnd(Split split) {
        return framing.firstRecordEnd(split.buffer, split.start, split.end, true);
    }

    private static byte[] ensure(byte[] buffer, int length) {
        return buffer.length >= length ? buffer : Arrays.copyOf(buffer, length);
    }

    private ByteSource source() {
        return Objects.requireNonNull(bytes, "the input is not open");
    }
}
