package io.sluice.importer.source;

import io.sluice.importer.source.SplitSource.Settings;
import io.sluice.importer.source.codec.CorruptInputException;
import io.sluice.importer.source.parquet.ParquetFooter;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Cuts one part of an input into splits from its start to its end. For one thread at a time.
 *
 * <p>The start of an incomplete record is carried over to the next split. So the state at the start of a split is
 * always known, quoted newlines need no guessing, and pipes work like files.
 */
final class FileSplits {
    /**
     * Most oversized records of one input. Each costs a search of as many bytes as a record may have, 4 MiB by default:
     * 1,000 of them take seconds, a million would take hours.
     */
    private static final int MAX_OVERSIZED = 1_000;

    private final InputFile file;
    /** The part of the input; its other parts are known once it was opened. */
    private volatile InputPart part;

    private final Settings settings;
    private final int aheadBytes;
    private final FileHead head;

    private volatile @Nullable TextCursor cursor;
    /** Line ends skipped since the previous split, to be counted before the next one. */
    private long linesPassed;

    /** Rows handed out, if the framing counts them. */
    private long recordsPassed;

    private long recordsLeft;
    private int oversized;
    private int splitBytes;
    private long splits;
    private long storedBytesGiven;
    /** Stored bytes that were skipped for the next split, since an earlier run has read them. */
    private long passedBytes;

    private boolean ended;
    /** Spans that earlier runs have read. */
    private final DoneSpans done;
    /** Whether records were handed out or skipped. */
    private boolean afterFirst;

    /**
     * Creates the splits of a part of an input without opening it.
     *
     * @param splitBytes size of the first split; each later one is twice as large, up to the setting
     * @param aheadBytes bytes that a separate thread may read ahead; 0: no read-ahead
     * @param done spans that earlier runs have read, ascending; owned by this object
     */
    FileSplits(
            InputPart part, Framing framing, Settings settings, int splitBytes, int aheadBytes, Deque<ReadSpan> done) {
        this.part = part;
        file = part.file();
        recordsPassed = part.firstRecord();
        head = new FileHead(framing, settings);
        this.settings = settings;
        this.splitBytes = splitBytes;
        this.aheadBytes = aheadBytes;
        this.done = new DoneSpans(part.file(), done);
        recordsLeft = settings.recordLimit();
    }

    InputPart part() {
        return part;
    }

    /** Whether the part was opened, or an earlier run has read it. */
    boolean started() {
        return cursor != null || ended;
    }

    /** Whether the last split has been filled. */
    boolean ended() {
        return ended;
    }

    /** Whether other workers should wait for the next split, since cutting it is faster than opening another input. */
    boolean isQuick() {
        TextCursor open = cursor;
        return !part.several() && (open == null ? !file.isCostly() : !open.readsAhead());
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
            if (cursor == null && !open()) {
                skipAll(split);
                return;
            }
            boolean filled = false;
            while (!filled && !ended) {
                filled = fill(split);
            }
            split.ordinal = Split.ordinal(part, splits++);
            long storedBytes = ended && part.several() ? partBytes() : text().storedBytes();
            split.storedBytes = storedBytes - storedBytesGiven;
            storedBytesGiven = storedBytes;
            split.passedBytes = passedBytes;
            splitBytes = (int) Math.min(settings.splitBytes(), 2L * splitBytes);
            if (ended) {
                text().close();
                file.origin().ensureUnchanged();
                if (part.several()) {
                    done.requireNone();
                }
            }
        } catch (CorruptInputException e) {
            throw new BadInputException(file.name() + ": " + e.getMessage() + ". Nothing was imported", e);
        } catch (IOException e) {
            TextCursor open = cursor;
            throw new OperationFailedException(
                    file.name() + ": cannot be read at byte " + (open == null ? 0 : open.readTo()) + ": " + reason(e),
                    e);
        }
    }

    /** Opens the part, unless an earlier run has read all of it; returns whether it is open. */
    private boolean open() throws IOException {
        boolean isText = head.framing().isText();
        if (done.whole(part) != null) {
            return false;
        }
        ByteSource source = settings.recordLimit() > 0
                ? ByteSource.open(file, isText, aheadBytes)
                : ByteSource.open(part, isText, aheadBytes);
        part = source.part();
        if (part.several() && done.whole(part) != null) {
            source.close();
            return false;
        }
        cursor = new TextCursor(source, settings.splitBytes());
        if (isText) {
            text().skipByteOrderMark();
        }
        return true;
    }

    /** Ends a part without reading it, since an earlier run has read all of it. */
    private void skipAll(Split split) {
        ReadSpan span = Objects.requireNonNull(done.whole(part));
        linesPassed = span.lines();
        endAfter(span, split);
        split.ordinal = Split.ordinal(part, splits++);
        // Bytes of inputs of one part are counted when the import begins.
        split.storedBytes = partBytes();
        split.passedBytes = split.storedBytes;
    }

    /** Stored bytes of this part of several; 0 if it is all of the input. */
    private long partBytes() {
        ParquetFooter footer = part.footer();
        return footer == null ? 0 : footer.partBytes(part.index());
    }

    /** Makes the split the empty last one of the file, after a span that an earlier run has read. */
    private void endAfter(ReadSpan span, Split split) {
        ended = true;
        split.file = file;
        split.start = 0;
        split.end = 0;
        split.fileOffset = span.end();
        split.linesSkipped = linesPassed;
        linesPassed = 0;
        split.firstRecord = recordsPassed;
        split.oversized = false;
        split.passedOver = true;
        split.header = head.header();
        describe(split, 0, 0, span.end());
    }

    /** Sets the split's position in the file. */
    private void describe(Split split, long records, long counted, long endInText) {
        split.records = records;
        split.counted = counted;
        split.endInText = ended && !part.isLast() ? part.nextOffset() : endInText;
        split.linesAfter = linesPassed;
        split.part = part.index();
        split.firstOfPart = !afterFirst;
        split.lastOfPart = ended;
        split.lastOfFile = ended && part.isLast();
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
        TextCursor open = cursor;
        if (open != null && open.readsAhead()) {
            close();
        }
    }

    /** Stops reading. Safe while another thread is in {@link #next}. */
    void close() {
        TextCursor open = cursor;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // Harmless: the source was only read, and is not needed any more.
                ended = true;
            }
        }
    }

    /** Skips the spans that start here; false if the last of them ends the file. */
    private boolean skipDone(Split split) throws IOException {
        TextCursor text = text();
        for (ReadSpan span = done.startedAt(text.offset()); span != null; span = done.startedAt(text.offset())) {
            boolean cutApart = span.start() < text.offset();
            long storedBefore = text.storedBytes();
            // The rest of a part need not be converted.
            boolean restOfPart = part.several() && span.last();
            boolean skipped = restOfPart
                    ? part.isLast() || span.end() == part.nextOffset()
                    : text.skip(span.end() - span.start());
            passedBytes += (restOfPart ? partBytes() : text.storedBytes()) - storedBefore;
            if (cutApart || !skipped) {
                throw done.changed(span);
            }
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
        TextCursor text = text();
        split.buffer = TextCursor.ensure(split.buffer, Math.max(splitBytes, text.carried()));
        int filled = text.copyCarry(split.buffer);
        int wanted = splitBytes;
        int end;
        boolean last;
        // The carry alone may hold whole records, and more bytes than one record may have.
        do {
            wanted = Math.max(wanted, filled);
            split.buffer = TextCursor.ensure(split.buffer, wanted);
            filled += text.fill(split.buffer, filled, wanted - filled);
            last = filled < wanted;
            end = beforeDone(head.framing().lastRecordEnd(split.buffer, 0, filled, last));
            wanted = Math.min(2 * wanted, enoughForOneRecord());
        } while (end == 0 && !last && filled < enoughForOneRecord());
        split.file = file;
        split.fileOffset = text.offset();
        split.oversized = end == 0 && filled > 0;
        split.linesSkipped = linesPassed;
        linesPassed = 0;
        if (split.oversized) {
            skipRecord(split, filled);
            head.passOversized(split);
        } else {
            text.advance(split.buffer, end, filled);
            split.start = 0;
            split.end = end;
            head.pass(split);
        }
        split.firstRecord = recordsPassed;
        Framing framing = head.framing();
        long records = framing.records(split.buffer, split.start, split.end);
        recordsPassed += records;
        long leftBefore = recordsLeft;
        ended = cutAtLimit(split) || (last && text.carried() == 0);
        if (ended) {
            head.requireHeader(split);
        }
        split.header = head.header();
        split.framing = framing;
        boolean hasRecords = split.oversized || split.start < split.end;
        describe(split, records, leftBefore - recordsLeft, text.offset());
        afterFirst |= hasRecords;
        if (!hasRecords) {
            linesPassed += split.linesSkipped;
        }
        return hasRecords;
    }

    /** Limits the records to hand out: a span that an earlier run has read starts with a record and is skipped. */
    private int beforeDone(int end) {
        return (int) Math.min(end, done.nextStart() - text().offset());
    }

    /** Length of the longest allowed record with CR and LF, and the byte after it: without one the input ends there. */
    private int enoughForOneRecord() {
        return (int) Math.min(Integer.MAX_VALUE - 8, settings.maxRecordBytes() + 3L);
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
        Framing framing = head.framing();
        int pos = split.oversized ? split.end : split.start;
        while (recordsLeft > 0 && pos < split.end) {
            int end = framing.firstRecordEnd(split.buffer, pos, split.end, true);
            recordsLeft -= framing.isRecord(split.buffer, pos, end) ? 1 : 0;
            pos = end;
        }
        split.end = pos;
        return recordsLeft == 0;
    }

    /** Skips an oversized record up to the next position where its format can continue. */
    private void skipRecord(Split split, int filled) throws IOException {
        byte[] marker = head.framing().marker();
        if (marker == null) {
            skipLine(split, filled);
            return;
        }
        split.start = 0;
        split.end = filled;
        int overlap = Math.max(0, marker.length - 1);
        text().advance(split.buffer, filled - overlap, filled);
        text().skipPastMarker(marker);
    }

    /** Skips the line in which an oversized record starts. */
    private void skipLine(Split split, int filled) throws IOException {
        split.start = 0;
        int lineEnd = TextCursor.firstLineEnd(split.buffer, filled);
        if (lineEnd < filled - 1 || (lineEnd < filled && split.buffer[lineEnd] == '\n')) {
            split.end = TextCursor.afterLineEnd(split.buffer, lineEnd, filled);
            text().advance(split.buffer, split.end, filled);
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
        text().advance(split.buffer, filled, filled);
        linesPassed += text().skipPastLine(lineEnd < filled) ? 1 : 0;
    }

    private TextCursor text() {
        return Objects.requireNonNull(cursor, "the input is not open");
    }
}
