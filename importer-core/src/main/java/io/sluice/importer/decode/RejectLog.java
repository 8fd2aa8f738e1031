package io.sluice.importer.decode;

import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts all rejects of an import into the order of the input, with their lines in the files. A split's rejects wait in
 * memory until all earlier splits are done; then they are counted and passed on. When {@value #MAX_WAITING} rejects of
 * one split or {@value #MAX_WAITING_BYTES} bytes of all splits wait, later splits block. The first split that is not
 * done never blocks.
 */
public final class RejectLog {
    private static final int MAX_WAITING = 10_000;

    /** Most bytes that wait: 16 MiB, four records of the greatest length. */
    private static final long MAX_WAITING_BYTES = 16L << 20;

    /** Memory of a reject apart from its record, about. */
    private static final long REJECT_BYTES = 200;

    private final RejectLimit limit;
    private final RejectSink sink;
    private Runnable onLimit = () -> {};

    private final AtomicLong waitingBytes = new AtomicLong();
    private final Map<Long, SplitRejects> finished = new HashMap<>();
    private long turn;
    private @Nullable InputFile turnFile;
    private long linesBefore;
    private long rowsBefore;
    private long count;
    private boolean exceeded;
    private @Nullable String first;
    private boolean abandoned;

    /**
     * Creates an empty log.
     *
     * @param limit most rejects that are allowed
     * @param sink receives the rejects up to the first one above the limit; the caller closes it
     */
    public RejectLog(RejectLimit limit, RejectSink sink) {
        this.limit = limit;
        this.sink = sink;
    }

    /** Starts from the rejects and rows of splits that earlier attempts have done. */
    public synchronized void resumeFrom(long rejects, long rows) {
        count = rejects;
        rowsBefore = rows;
    }

    /** Starts at an input that is not the first one, whose splits are the first to come. */
    public synchronized void startAt(InputFile input) {
        turn = Split.firstOrdinal(input);
    }

    /** Whether a split and all before it are done, and their rejects passed on. */
    public synchronized boolean passed(long splitOrdinal) {
        return turn > splitOrdinal;
    }

    /** Sets an action that runs once when the limit is exceeded. */
    public synchronized void onLimit(Runnable action) {
        onLimit = action;
    }

    /** Opens the rejects of one split; every split of the input must be {@link SplitRejects#finish finished}. */
    public SplitRejects split(Split split) {
        return split(split, () -> 0);
    }

    /**
     * Opens the rejects of one split, for limits by share of the records.
     *
     * @param rows number of rows of the split decoded so far
     */
    public SplitRejects split(Split split, LongSupplier rows) {
        return new SplitRejects(split.ordinal(), split.nextOrdinal(), split.file(), split.header(), rows);
    }

    /** Number of rejects so far, in the order of the input. */
    public synchronized long count() {
        return count;
    }

    /** Whether the limit is exceeded; call it when all splits are done. */
    public synchronized boolean limitExceeded() {
        return exceeded || limit.exceeded(count, rowsBefore + count, true);
    }

    /** The first reject of the input in words, or null. */
    public synchronized @Nullable String first() {
        return first;
    }

    /** Unblocks all waiting workers, since a worker failed and its split will never be finished. */
    public synchronized void abandon() {
        abandoned = true;
        notifyAll();
    }

    private record Waiting(Reject reject, long rowsBefore) {}

    /** The rejects of one split. For one worker. */
    public final class SplitRejects implements Consumer<Reject> {
        private final long ordinal;
        private final long nextOrdinal;
        private final InputFile file;
        private final byte @Nullable [] header;
        private final LongSupplier rows;
        private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
        private long lines;
        private long allRows;
        private long records;

        private SplitRejects(
                long ordinal, long nextOrdinal, InputFile file, byte @Nullable [] header, LongSupplier rows) {
            this.ordinal = ordinal;
            this.nextOrdinal = nextOrdinal;
            this.file = file;
            this.header = header;
            this.rows = rows;
        }

        @Override
        public void accept(Reject reject) {
            records += reject.records();
            waiting.add(new Waiting(reject, rows.getAsLong()));
            long bytes = waitingBytes.addAndGet(sizeOf(reject));
            if (waiting.size() >= MAX_WAITING || bytes > MAX_WAITING_BYTES) {
                awaitTurn(this);
            }
        }

        /** Number of rejected records of the split so far. */
        public long records() {
            return records;
        }

        /** Marks the split as done. */
        public void finish(long linesInSplit) {
            lines = linesInSplit;
            allRows = rows.getAsLong();
            finished(this);
        }
    }

    private static long sizeOf(Reject reject) {
        return REJECT_BYTES + reject.record().length;
    }

    private synchronized void awaitTurn(SplitRejects split) {
        boolean interrupted = false;
        while (turn != split.ordinal && !abandoned) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
                abandoned = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        take(split);
    }

    private synchronized void finished(SplitRejects split) {
        finished.put(split.ordinal, split);
        SplitRejects next = finished.remove(turn);
        while (next != null) {
            take(next);
            linesBefore += next.lines;
            rowsBefore += next.allRows;
            turn = next.nextOrdinal;
            next = finished.remove(turn);
        }
        notifyAll();
    }

    /** Counts and passes on the rejects of the split whose turn it is. */
    private void take(SplitRejects split) {
        if (!split.file.equals(turnFile)) {
            turnFile = split.file;
            linesBefore = 0;
        }
        for (Waiting next = split.waiting.poll(); next != null; next = split.waiting.poll()) {
            Reject reject = next.reject;
            waitingBytes.addAndGet(-sizeOf(reject));
            count += reject.records();
            long line =
                    reject.place().line() < 0 ? 0 : linesBefore + reject.place().line() + 1;
            if (first == null && reject.records() > 0) {
                first = describe(split.file, line, reject);
            }
            if (exceeded) {
                continue;
            }
            sink.write(split.file, split.header, line, reject);
            if (limit.exceeded(count, rowsBefore + next.rowsBefore + count, false)) {
                exceeded = true;
                onLimit.run();
            }
        }
    }

    /** Describes a reject in words, with the start of its record on a second line. */
    public static String describe(InputFile file, long line, Reject reject) {
        return file.name() + (line == 0 ? "" : ", " + reject.place().unit().label() + " " + line) + " (byte "
                + reject.place().byteOffset() + ")"
                + (reject.problem().column() == null
                        ? ": the record "
                        : ", column " + reject.problem().column() + ": ")
                + reject.problem().message() + "\n    " + reject.excerpt();
    }
}
