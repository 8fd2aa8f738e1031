package io.sluice.sql.apply;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A batch of lines that several threads parse into row changes. */
final class ParsedBatch {
    /** Chunks of lines per worker; several balance the load. */
    private static final int PARTS_PER_WORKER = 4;

    private final LineBatch lines;
    private final Function<Change, RowReader> readers;
    private final @Nullable RowChange[] changes;
    private final FirstFailure failure = new FirstFailure();
    private Workers.Started started = () -> {};

    private ParsedBatch(LineBatch lines, Function<Change, RowReader> readers) {
        this.lines = lines;
        this.readers = readers;
        changes = new RowChange[lines.size()];
    }

    /**
     * Starts to parse a batch.
     *
     * @param readers returns the reader of a change's table, or throws a {@link LineException}
     */
    static ParsedBatch start(LineBatch lines, Function<Change, RowReader> readers, Workers workers) {
        ParsedBatch batch = new ParsedBatch(lines, readers);
        int parts = workers.count() * PARTS_PER_WORKER;
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
                failure.record(e);
                return;
            }
        }
    }

    Position end() {
        return lines.end();
    }

    /** The first failure in the batch, if any. */
    FirstFailure failure() {
        return failure;
    }

    /** Waits for the parsing and returns the changes before the first bad line. */
    List<RowChange> changes() {
        started.await();
        List<RowChange> good = new ArrayList<>(changes.length);
        for (RowChange change : changes) {
            if (change == null || failure.isBefore(change.line())) {
                break;
            }
            good.add(change);
        }
        return good;
    }
}
