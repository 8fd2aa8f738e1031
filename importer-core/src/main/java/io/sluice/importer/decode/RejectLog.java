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
 * All rejects of an import in the order of the input, whatever order its splits are decoded in, with the lines they
 * have in their files. A split's rejects wait in memory until all splits before it are done; then they are counted and
 * passed on. When {@value #MAX_WAITING} of one split or {@value #MAX_WAITING_BYTES} bytes of all wait, the splits whose
 * turn has not come wait, too; the first one that is not done never does.
 */
public final class RejectLog {
    private static final int MAX_WAITING = 10_000;

    /** 16 MiB, four records of the greatest length. */
    private static final long MAX_WAITING_BYTES = 16L << 20;

    /** What a reject takes besides its record, roughly. */
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
     * An empty log.
     *
     * @param limit most rejects that are allowed
     * @param sink takes the rejects up to the first that is one too many; stays the caller's
     */
    public RejectLog(RejectLimit limit, RejectSink sink) {
        this.limit = limit;
        this.sink = sink;
    }

    /** Goes on from rejects and rows of splits that were done before and will not come again. */
    public synchronized void resumeFrom(long rejects, long rows) {
        count = rejects;
        rowsBefore = rows;
    }

    /** Whether a split and all before it are done, and their rejects passed on. */
    public synchronized boolean passed(long splitOrdinal) {
        return turn > splitOrdinal;
    }

    /** Names what is to be done, once, when there are more rejects than allowed. */
    public synchronized void onLimit(Runnable action) {
        onLimit = action;
    }

    /** Takes the rejects of one split; every split of the input must be {@link SplitRejects#finish finished}. */
    public SplitRejects split(Split split) {
        return split(split, () -> 0);
    }

    /**
     * Takes the rejects of one split, for limits that are a share of the records.
     *
     * @param rows how many rows of the split were decoded so far
     */
    public SplitRejects split(Split split, LongSupplier rows) {
        return new SplitRejects(split.ordinal(), split.nextOrdinal(), split.file(), split.header(), rows);
    }

    /** How many rejects there are so far, in the order of the input. */
    public synchronized long count() {
        return count;
    }

    /** Whether there are more rejects than allowed; ask it when all splits are done. */
    public synchronized boolean limitExceeded() {
        return exceeded || limit.exceeded(count, rowsBefore + count, true);
    }

    /** The first reject of the input in words, or null. */
    public synchronized @Nullable String first() {
        return first;
    }

    /** Lets nobody wait any longer: a worker died, and its split will never be finished. */
    public synchronized void abandon() {
        abandoned = true;
        notifyAll();
    }

    private record Waiting(Reject reject, long rowsBefore) {}

    /** The rejects of one split, used by one worker. */
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

        /** How many records of the split were rejected so far. */
        public long records() {
            return records;
        }

        /** Says that the split is done. */
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

    /** Counts and passes on what a split has; its turn has come. */
    private void take(SplitRejects split) {
        if (!split.file.equals(turnFile)) {
            turnFile = split.file;
            linesBefore = 0;
        }
        for (Waiting next = split.waiting.poll(); next != null; next = split.waiting.poll()) {
            Reject reject = next.reject;
            waitingBytes.addAndGet(-sizeOf(reject));
            count += reject.records();
            long line = reject.line() < 0 ? 0 : linesBefore + reject.line() + 1;
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

    /** A reject in words, with the beginning of its record on a line of its own. */
    public static String describe(InputFile file, long line, Reject reject) {
        return file.name() + (line == 0 ? "" : ", " + reject.unit().label() + " " + line) + " (byte "
                + reject.byteOffset() + ")"
                + (reject.column() == null ? ": the record " : ", column " + reject.column() + ": ")
                + reject.message() + "\n    " + reject.excerpt();
    }
}
