package io.sluice.importer.source;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Hands the inputs out as {@link Split splits} to any number of workers.
 *
 * <p>Each input is read and cut one split at a time, in order ({@link FileSplits}). Inputs that need no more than
 * copying come one after the other: the serial part is a copy out of the page cache and a search for quotes, together a
 * few percent of what a worker then does with the split. Of those that are compressed, transcoded, or far away as many
 * are open at once as there are workers, and a thread reads each of them ahead; a worker takes its split from the first
 * one that no other worker is taking from.
 *
 * <p>A worker may have to wait, with its split in hand, until all splits before are done (for rejects come out in
 * order). So that they never all wait for splits that nobody reads, one worker at least has no split of an input behind
 * the first open one.
 */
public final class SplitSource implements AutoCloseable {
    /** The first splits are small, each twice the one before, so that all workers soon have something to do. */
    private static final int FIRST_SPLIT_BYTES = 2 << 20;

    private final List<InputFile> files;
    private final Framing framing;
    private final Settings settings;
    private final Readers readers;
    private final ReadSpans done;

    private int nextFile;
    /** In the order of the inputs. */
    private final List<FileSplits> open = new ArrayList<>();

    private final Set<FileSplits> taken = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Splits that workers have in hand. */
    private final Set<Split> held = Collections.newSetFromMap(new IdentityHashMap<>());

    private int firstSplitBytes;
    private volatile boolean stopped;

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

    /**
     * Who reads.
     *
     * @param count how many workers take splits, each with one Split that it fills again and again
     * @param aheadBytes how much all threads together may read ahead of them; 0: there are no such threads
     */
    public record Readers(int count, int aheadBytes) {
        /** Everything in order, on the caller's thread. */
        public static final Readers ONE = new Readers(1, 0);
    }

    /** Inputs that are handed out one after the other. */
    public SplitSource(List<InputFile> files, Framing framing, Settings settings) {
        this(files, framing, settings, Readers.ONE);
    }

    /** Inputs that are handed out to a number of workers. */
    public SplitSource(List<InputFile> files, Framing framing, Settings settings, Readers readers) {
        this(files, framing, settings, readers, ReadSpans.NONE);
    }

    /** As the other one, but for what was read before: of that nothing is handed out. */
    public SplitSource(List<InputFile> files, Framing framing, Settings settings, Readers readers, ReadSpans done) {
        this.done = done;
        this.files = List.copyOf(files);
        this.framing = framing.limited(settings.maxRecordBytes);
        this.settings = settings;
        this.readers = readers;
        firstSplitBytes = Math.min(FIRST_SPLIT_BYTES, settings.splitBytes);
    }

    /**
     * Fills a split with the next records of an input. The last split of each input says so, and may be empty.
     *
     * @return false when there are no more; the split is then unchanged
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

    /** Waits for an input to take a split from; null when there are no more. */
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

    /** The input to read next; null when there is none, or none at the moment. */
    private @Nullable FileSplits free() {
        boolean onlyFirst = readersAhead() >= readers.count - 1;
        for (FileSplits file : open) {
            if (!taken.contains(file)) {
                return file;
            }
            if (onlyFirst || file.isQuick()) {
                return null;
            }
        }
        if (nextFile == files.size() || open.size() >= readers.count) {
            return null;
        }
        int aheadBytes = readers.aheadBytes / readers.count;
        InputFile input = files.get(nextFile++);
        FileSplits file = new FileSplits(input, framing, settings, firstSplitBytes, aheadBytes, done.of(input));
        open.add(file);
        return file;
    }

    /** How many workers have a split of, or are taking one from, an input behind the first open one. */
    private int readersAhead() {
        if (open.isEmpty()) {
            return 0;
        }
        FileSplits first = open.get(0);
        int ahead = 0;
        for (Split split : held) {
            ahead += split.file().ordinal() > first.file().ordinal() ? 1 : 0;
        }
        for (FileSplits file : taken) {
            ahead += file == first ? 0 : 1;
        }
        return ahead;
    }

    private synchronized void giveBack(FileSplits file, Split split) {
        taken.remove(file);
        if (file.ended()) {
            open.remove(file);
            // Whoever has work by now can do with larger splits of the next inputs.
            firstSplitBytes = Math.min(settings.splitBytes, Math.max(firstSplitBytes, file.splitBytes()));
        }
        if (split.isOf(file.file())) {
            held.add(split);
        }
        notifyAll();
    }

    /** Makes {@link #next} answer false from now on. */
    public synchronized void stop() {
        stopped = true;
        open.forEach(FileSplits::stop);
        notifyAll();
    }

    /** Whether {@link #next} answers false although there may be more. */
    public boolean stopped() {
        return stopped;
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

    @Override
    public synchronized void close() {
        stopped = true;
        open.forEach(FileSplits::close);
    }
}
