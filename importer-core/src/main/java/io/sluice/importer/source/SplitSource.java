package io.sluice.importer.source;

import io.sluice.importer.source.parquet.ParquetFooter;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Serves the inputs as {@link Split splits} to any number of workers.
 *
 * <p>Each input is read and cut one split at a time, in order ({@link FileSplits}). Inputs that need only copying come
 * one after the other: the serial part is a copy out of the page cache and a search for quotes, a few percent of a
 * worker's time for the split. Of compressed, transcoded or remote inputs, as many are open at once as there are
 * workers, and a separate thread reads each of them ahead. A worker takes its split from the first input that no other
 * worker is taking from. The row groups of a Parquet file are parts of it that are read like inputs of their own:
 * several workers convert them at the same time.
 *
 * <p>A worker with a split may have to wait until all earlier splits are done, since rejects come out in order. To
 * avoid a deadlock, at least one worker never has a split of an input after the first open one.
 */
public final class SplitSource implements AutoCloseable {
    /** Size of the first split: 2 MiB. Each later one is twice as large, so that all workers soon have work. */
    private static final int FIRST_SPLIT_BYTES = 2 << 20;

    private final List<InputFile> files;
    private final Framing framing;
    private final Settings settings;
    private final Readers readers;
    private final ReadSpans done;

    private int nextFile;
    /** Open inputs and all their parts, in input order. */
    private final List<FileSplits> open = new ArrayList<>();

    private final Set<FileSplits> taken = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Splits that workers hold. */
    private final Set<Split> held = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Inputs whose parts were all added. */
    private final Set<InputFile> inParts = new HashSet<>();

    private int firstSplitBytes;
    private volatile boolean stopped;

    /**
     * Settings for cutting inputs into splits.
     *
     * @param splitBytes size of a split
     * @param maxRecordBytes longest allowed record
     * @param skipRecords number of records to skip at the start of each file
     * @param header whether a header record follows
     * @param recordLimit most records to read of each file; 0: all
     */
    public record Settings(int splitBytes, int maxRecordBytes, long skipRecords, boolean header, long recordLimit) {
        /** Creates settings that read all records. */
        public Settings(int splitBytes, int maxRecordBytes, long skipRecords, boolean header) {
            this(splitBytes, maxRecordBytes, skipRecords, header, 0);
        }
    }

    /**
     * The number of workers and the read-ahead.
     *
     * @param count number of workers, each with one Split that it refills
     * @param aheadBytes most bytes that all reading threads together read ahead; 0: no such threads
     */
    public record Readers(int count, int aheadBytes) {
        /** One worker without read-ahead, so inputs come in order. */
        public static final Readers ONE = new Readers(1, 0);
    }

    /** Creates a source for one worker. */
    public SplitSource(List<InputFile> files, Framing framing, Settings settings) {
        this(files, framing, settings, Readers.ONE, ReadSpans.NONE);
    }

    /**
     * Creates a source for several workers.
     *
     * @param done spans that earlier runs have read, and that are skipped
     */
    public SplitSource(List<InputFile> files, Framing framing, Settings settings, Readers readers, ReadSpans done) {
        this.done = done;
        this.files = List.copyOf(files);
        this.framing = framing.limited(settings.maxRecordBytes);
        this.settings = settings;
        this.readers = readers;
        firstSplitBytes = Math.min(FIRST_SPLIT_BYTES, settings.splitBytes);
    }

    /**
     * Fills a split with the next records of an input. The last split of each input is marked and may be empty.
     *
     * @return false after the last split; {@code split} is then unchanged
     * @throws BadInputException when an input is damaged
     * @throws OperationFailedException when an input cannot be read
     */
    public boolean next(Split split) {
        FileSplits file = take(split);
        if (file == null) {
            return false;
        }
        try {
            file.next(split);
            return true;
        } catch (BadInputException | OperationFailedException e) {
            if (stopped) {
                return false;
            }
            throw e;
        } finally {
            giveBack(file, split);
        }
    }

    /** Waits for an input to take a split from; null after the last input. */
    private synchronized @Nullable FileSplits take(Split split) {
        held.remove(split);
        notifyAll();
        try {
            while (!stopped) {
                FileSplits file = free();
                if (file != null) {
                    taken.add(file);
                    return file;
                }
                if (open.isEmpty()) {
                    return null;
                }
                wait();
            }
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException(
                    "reading was interrupted", new InterruptedIOException("waiting for an input"));
        }
    }

    /** The input or part to read next; null if there is none, or none at the moment. */
    private @Nullable FileSplits free() {
        boolean onlyFirst = readersAhead() >= readers.count - 1;
        for (FileSplits file : open) {
            // The first one is always read on, because workers with later splits may wait for it.
            if (!taken.contains(file) && (file == open.get(0) || isStarted(file) || mayStart(file))) {
                return file;
            }
            if (onlyFirst || file.isQuick()) {
                return null;
            }
        }
        if (nextFile == files.size()
                || started() >= readers.count
                || !open.stream().allMatch(this::isStarted)) {
            return null;
        }
        InputFile input = files.get(nextFile++);
        FileSplits file = splits(new InputPart(input, 0, null), firstSplitBytes);
        open.add(file);
        return file;
    }

    private FileSplits splits(InputPart part, int firstBytes) {
        int aheadBytes = readers.aheadBytes / readers.count;
        return new FileSplits(part, framing, settings, firstBytes, aheadBytes, done.of(part.file()));
    }

    private boolean isStarted(FileSplits file) {
        return file.started() || taken.contains(file);
    }

    private long started() {
        return open.stream().filter(this::isStarted).count();
    }

    /** Whether another part may be open beside those that are. */
    private boolean mayStart(FileSplits file) {
        ParquetFooter footer = file.part().footer();
        long ofFile = open.stream()
                .filter(other -> other.part().file().equals(file.part().file()) && isStarted(other))
                .count();
        return started() < readers.count && (footer == null || ofFile < footer.mostOpen());
    }

    /** Number of workers that hold a split of an input or part after the first open one, or are taking one. */
    private int readersAhead() {
        if (open.isEmpty()) {
            return 0;
        }
        FileSplits first = open.get(0);
        int ahead = 0;
        for (Split split : held) {
            ahead += split.isAfter(first.part()) ? 1 : 0;
        }
        for (FileSplits file : taken) {
            ahead += file == first ? 0 : 1;
        }
        return ahead;
    }

    private synchronized void giveBack(FileSplits file, Split split) {
        taken.remove(file);
        addParts(file);
        if (file.ended()) {
            open.remove(file);
            // Workers have work by now, so splits of the next inputs may start larger.
            firstSplitBytes = Math.min(settings.splitBytes, Math.max(firstSplitBytes, file.splitBytes()));
        }
        if (split.isOf(file.part().file())) {
            held.add(split);
        }
        notifyAll();
    }

    /** Adds the other parts of an input when its first one was opened. */
    private void addParts(FileSplits first) {
        InputPart part = first.part();
        ParquetFooter footer = part.footer();
        if (footer == null || part.index() > 0 || !inParts.add(part.file())) {
            return;
        }
        int at = open.indexOf(first);
        for (int i = 1; i < footer.parts(); i++) {
            // Each worker converts a part of its own, and need not wait for small splits of another one's.
            open.add(at + i, splits(new InputPart(part.file(), i, footer), settings.splitBytes));
        }
    }

    /** Stops the source: {@link #next} returns false from now on. */
    public synchronized void stop() {
        stopped = true;
        open.forEach(FileSplits::stop);
        notifyAll();
    }

    /** Whether the source was stopped before its end. */
    public boolean stopped() {
        return stopped;
    }

    /** Number of line ends in a range: LF, CRLF, or CR alone. */
    public static int lineEnds(byte[] buffer, int from, int to) {
        int lines = 0;
        for (int i = from; i < to; i++) {
            if (buffer[i] == '\n' || (buffer[i] == '\r' && (i + 1 == to || buffer[i + 1] != '\n'))) {
                lines++;
            }
        }
        return lines;
    }

    @Override
    public synchronized void close() {
        stopped = true;
        open.forEach(FileSplits::close);
    }
}
