package io.sluice.importer.source;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.importer.source.SplitSource.Settings;
import io.sluice.importer.source.codec.CorruptInputException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One input, cut into splits from its beginning to its end; used by one thread at a time.
 *
 * <p>What is left of a record behind the last whole one is carried to the front of the next split. So the state at the
 * beginning of a split is always known, quoted newlines need no guessing, and pipes work as files do.
 */
final class FileSplits {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    /**
     * Records whose quoted line ends make them too long that one input may have. Each costs a search of as many bytes
     * as a record may have, 4 MiB by default: 1,000 of them are seconds, a million would be hours.
     */
    private static final int MAX_OVERSIZED = 1_000;

    private final InputFile file;
    private final Settings settings;
    private final int aheadBytes;
    /** The format's, until the header was read: it may say more, see {@link Framing#behindHeader}. */
    private Framing framing;

    private volatile @Nullable ByteSource bytes;
    private byte[] carry = new byte[0];
    private int carryLength;
    /** Offset in the text of the first byte of the carry. */
    private long offset;

    /** Line ends passed since the previous split, to be counted in front of the next one. */
    private long linesPassed;

    /** Rows that were handed out, where the framing counts them. */
    private long recordsPassed;

    private long recordsToSkip;
    private long recordsLeft;
    private boolean headerWanted;
    private byte @Nullable [] header;
    private int oversized;
    private int splitBytes;
    private long splits;
    private long storedBytesGiven;
    /** Of what was read for the next split, bytes as they are stored that are not to be read again. */
    private long passedBytes;

    private boolean ended;
    /** What is not to be read again, ascending. */
    private final Deque<ReadSpan> done;
    /** Whether records were handed out or passed over. */
    private boolean behindFirst;

    /**
     * An input that is not opened yet.
     *
     * @param splitBytes how much to put into the first split; each is twice as large as the one before
     * @param aheadBytes how much a thread beside may read ahead, 0 for none
     * @param done what was read before, ascending; the FileSplits takes it over
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

    /** Whether others should wait until the next split is cut, because that is sooner than opening another input. */
    boolean isQuick() {
        ByteSource source = bytes;
        return source == null ? !file.looksCostly() : !source.readsAhead();
    }

    /**
     * Fills a split with the next records. The last one of an input has {@link Split#lastOfFile} set and may be empty.
     *
     * @throws BadInputException when the input is damaged
     * @throws OperationFailedException when it cannot be read
     */
    void next(Split split) {
        split.passedOver = false;
        passedBytes = 0;
        try {
            if (bytes == null && !done.isEmpty() && done.getFirst().whole()) {
                passOver(split);
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

    /** Ends without having looked at an input that was read to its end before. */
    private void passOver(Split split) {
        endBehind(done.removeFirst(), split);
        split.ordinal = Split.ordinal(file, splits++);
        split.storedBytes = 0;
        split.passedBytes = 0;
    }

    /** Makes the split an empty one, the last of the file, behind a span that was read before. */
    private void endBehind(ReadSpan span, Split split) {
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

    /** Says what the split is of the file. */
    private void describe(Split split, long records, long counted) {
        split.records = records;
        split.counted = counted;
        split.endInText = offset;
        split.linesBehind = linesPassed;
        split.firstOfFile = !behindFirst;
        split.lastOfFile = ended;
    }

    private static String reason(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    /** How much the next split will hold. */
    int splitBytes() {
        return splitBytes;
    }

    /** Ends waiting for bytes that are read ahead; a copy that is under way is soon done anyway. */
    void stop() {
        ByteSource source = bytes;
        if (source != null && source.readsAhead()) {
            close();
        }
    }

    /** Stops reading. Safe beside a thread that is in {@link #next}. */
    void close() {
        ByteSource source = bytes;
        if (source != null) {
            try {
                source.close();
            } catch (IOException e) {
                // Nothing was written to it, and all that was wanted from it has been read.
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

    /** Goes on behind the spans that begin here; false when the last of them ends the file. */
    private boolean passOverDone(Split split) throws IOException {
        while (!done.isEmpty() && done.getFirst().start() <= offset) {
            ReadSpan span = done.removeFirst();
            long length = span.end() - span.start();
            int carried = (int) Math.min(length, carryLength);
            keep(carry, carried, carryLength);
            long storedBefore = source().storedBytes();
            boolean skipped = source().skip(length - carried);
            passedBytes += source().storedBytes() - storedBefore;
            if (span.start() < offset || !skipped) {
                throw new BadInputException(file.name() + ": is not what it was when the import began: what was"
                        + " imported of it already ended at byte " + span.end()
                        + " of its text. Begin the import anew");
            }
            offset = span.end();
            linesPassed += span.lines();
            recordsPassed += span.records();
            recordsLeft -= span.counted();
            behindFirst = true;
            if (span.last()) {
                endBehind(span, split);
                return false;
            }
        }
        return true;
    }

    /** Reads whole records into the split; false when there were none. */
    private boolean fill(Split split) throws IOException {
        if (!passOverDone(split)) {
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
        ended = cutBehindLimit(split) || (last && carryLength == 0);
        if (ended) {
            requireHeader(split);
        }
        split.header = header;
        split.framing = framing;
        boolean hasRecords = split.oversized || split.start < split.end;
        describe(split, records, leftBefore - recordsLeft);
        behindFirst |= hasRecords;
        if (!hasRecords) {
            linesPassed = split.linesSkipped;
        }
        return hasRecords;
    }

    /** The end of records to hand out: what was read before begins with a record, and is not handed out again. */
    private int beforeDone(int end) {
        ReadSpan next = done.peekFirst();
        return next == null ? end : (int) Math.min(end, next.start() - offset);
    }

    /** The longest record that is let through, and CR and LF behind it. */
    private int enoughForOneRecord() {
        return (int) Math.min(Integer.MAX_VALUE - 8, settings.maxRecordBytes() + 2L);
    }

    /** Counts the records of the split when their number is limited, and cuts behind the last; says whether it came. */
    private boolean cutBehindLimit(Split split) {
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
                        + " records are longer than " + settings.maxRecordBytes() + " bytes, the last at byte "
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
        } while (read == settings.splitBytes());
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
