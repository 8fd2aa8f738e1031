package io.sluice.sql.apply;

import io.sluice.sql.transaction.TaskPool;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A batch of lines that several threads parse into row changes, with its first failure. */
final class ParsedBatch {
    /** Chunks of lines per worker; several balance the load. */
    private static final int PARTS_PER_WORKER = 4;

    private final LineReader.Batch lines;
    private final Function<Change, RowReader> readers;
    private final @Nullable RowChange[] changes;
    /** The failure with the lowest line number, of the parser or the writer. */
    private final AtomicReference<@Nullable LineException> earliest = new AtomicReference<>();
    /** The failure of the parser alone. */
    private @Nullable LineException unparsed;

    private TaskPool.Started started = TaskPool.Started.NONE;

    private ParsedBatch(LineReader.Batch lines, Function<Change, RowReader> readers) {
        this.lines = lines;
        this.readers = readers;
        changes = new RowChange[lines.size()];
    }

    /**
     * Starts to parse a batch.
     *
     * @param readers returns the reader of a change's table, or throws a {@link LineException}
     */
    static ParsedBatch start(LineReader.Batch lines, Function<Change, RowReader> readers, TaskPool workers) {
        ParsedBatch batch = new ParsedBatch(lines, readers);
        int parts = workers.parallel() * PARTS_PER_WORKER;
        List<Runnable> tasks = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            int from = (int) ((long) lines.size() * i / parts);
            int to = (int) ((long) lines.size() * (i + 1) / parts);
            tasks.add(() -> batch.read(from, to));
        }
        batch.started = workers.start(tasks);
        return batch;
    }

    private void read(int from, int to) {
        for (int i = from; i < to; i++) {
            try {
                Change change =
                        ChangeParser.parse(lines.numbers()[i], lines.buffer(), lines.starts()[i], lines.lengths()[i]);
                changes[i] = readers.apply(change).read(change);
            } catch (LineException e) {
                record(e);
                return;
            }
        }
    }

    Position end() {
        return lines.end();
    }

    /** Records that a line was refused, by the parser or by the writer. */
    void record(LineException failure) {
        earliest.accumulateAndGet(failure, (a, b) -> a == null || (b != null && b.line() < a.line()) ? b : a);
    }

    /** Whether a line comes after a failed line, so that it need not be applied. */
    boolean failedBefore(long line) {
        LineException failure = earliest.get();
        return failure != null && failure.line() < line;
    }

    /** Forgets what the writer recorded: all changes are written again. */
    void rewrite() {
        earliest.set(unparsed);
    }

    /** Throws the failure with the lowest line number, if there is one. */
    void rethrow() {
        LineException failure = earliest.get();
        if (failure != null) {
            throw failure;
        }
    }

    /** Waits for the parsing and returns the changes before the first bad line. */
    List<RowChange> changes() {
        started.await();
        unparsed = earliest.get();
        List<RowChange> good = new ArrayList<>(changes.length);
        for (RowChange change : changes) {
            if (change == null || failedBefore(change.line())) {
                break;
            }
            good.add(change);
        }
        return good;
    }
}
