package io.sluice.sql.apply;

import io.sluice.api.transaction.LogPosition;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.schema.Table;
import io.sluice.model.thread.Backoff;
import io.sluice.sql.RowTransaction;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSettings;
import io.sluice.sql.transaction.Durability;
import io.sluice.sql.transaction.TaskPool;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Applies change logs to tables in one store or on several nodes, to catch up after the import of a snapshot.
 * Thread-safe.
 *
 * <p>A pipeline: while one batch is written, the next is parsed and the previous one is synced. Each transaction also
 * stores the position after its batch, so an interrupted run resumes there.
 */
public final class ChangeLogs {
    /** Memory limit of a batch's transaction: 8 MiB of text as rows, KVs and changes. */
    private static final long TRANSACTION_BYTES = 256L << 20;

    private final SqlEngine engine;
    private final Clock clock;

    /** Applies logs to the tables of this engine. */
    public ChangeLogs(SqlEngine engine, Clock clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /**
     * Applies a log from the position that the last run reached.
     *
     * @throws BadInputException if a line is not a valid change or does not fit the rows; earlier commits stay
     * @throws OperationFailedException if the store fails; earlier commits stay
     */
    public Report apply(Path log, Settings settings) {
        byte[] known = engine.position(settings.name());
        Position start = known == null || settings.fromStart() ? Position.START : Position.of(known);
        try (LineReader reader = LineReader.open(log, settings.batchLines(), start);
                TaskPool workers = new TaskPool(
                        "sluice-apply", settings.workers() == 1 ? 0 : settings.workers(), Integer.MAX_VALUE);
                TaskPool syncer = new TaskPool("sluice-apply-sync", 1, 1)) {
            return new Run(log, settings, start, known, reader, workers, syncer).run();
        }
    }

    /** One run over a log. */
    private final class Run {
        private final Path log;
        private final Settings settings;
        private final LineReader reader;
        private final TaskPool workers;
        private final TaskPool syncer;
        private final Map<String, RowReader> readers = new ConcurrentHashMap<>();
        private final long skipped;
        /** The sync of the previous commit, which runs while the next batch is written. */
        private TaskPool.Started sync = TaskPool.Started.NONE;

        private Position done;
        private byte @Nullable [] stored;
        private @Nullable ParsedBatch nextBatch;
        /** Why the rest of the log cannot be read. The lines before it are still applied. */
        private @Nullable RuntimeException unreadable;

        private long changes;
        private long passedOver;
        private long transactions;

        Run(
                Path log,
                Settings settings,
                Position start,
                byte @Nullable [] stored,
                LineReader reader,
                TaskPool workers,
                TaskPool syncer) {
            this.log = log;
            this.settings = settings;
            this.stored = stored;
            this.reader = reader;
            this.workers = workers;
            this.syncer = syncer;
            skipped = start.lines();
            done = start;
        }

        Report run() {
            long startMillis = clock.millis();
            try {
                readNext();
                for (ParsedBatch batch = nextBatch; batch != null; batch = nextBatch) {
                    List<RowChange> rows = batch.changes();
                    nextBatch = null;
                    Durability commit = write(batch, rows);
                    stored = batch.end().toBytes();
                    sync.await();
                    sync = syncer.start(List.of(commit::await));
                    done = batch.end();
                    changes += rows.size();
                    transactions++;
                }
                sync.await();
                if (unreadable != null) {
                    throw unreadable;
                }
            } catch (LineException e) {
                throw refused(e);
            } finally {
                awaitReading();
            }
            return new Report(skipped, changes, passedOver, transactions, clock.millis() - startMillis);
        }

        private void readNext() {
            if (nextBatch != null || unreadable != null) {
                return;
            }
            try {
                LineReader.Batch lines = reader.next();
                nextBatch = lines == null ? null : ParsedBatch.start(lines, this::readerOf, workers);
            } catch (LineException | OperationFailedException e) {
                unreadable = e;
            }
        }

        private void awaitReading() {
            ParsedBatch unused = nextBatch;
            if (unused != null) {
                unused.changes();
            }
        }

        private RowReader readerOf(Change change) {
            RowReader known = readers.get(change.table());
            if (known != null) {
                return known;
            }
            Table table = engine.bound(change.table());
            if (table == null) {
                throw new LineException(
                        change.line(), "the store has no table " + change.table() + "; import it first");
            }
            return readers.computeIfAbsent(change.table(), name -> new RowReader(table));
        }

        private Durability write(ParsedBatch batch, List<RowChange> rows) {
            for (int tries = 1; ; tries++) {
                // All siblings have ended before an exception leaves write(), so closing the snapshot is safe.
                try (RowTransaction transaction = engine.beginRows(TRANSACTION_BYTES)) {
                    BatchWriter writer = new BatchWriter(transaction, batch, rows, workers, settings.upsert());
                    writer.write(this::readNext);
                    Durability commit = transaction.commit(
                            new LogPosition(settings.name(), batch.end().toBytes(), stored));
                    passedOver += writer.passedOver();
                    return commit;
                } catch (StatementException e) {
                    if (e.code() != SqlErrorCode.CONFLICT || tries >= SqlSettings.CONFLICT_BACKOFF.attempts()) {
                        throw new OperationFailedException(log + ": " + e.text() + "; " + progress(), e);
                    }
                    retryLater(tries);
                } catch (LineException e) {
                    if (!e.transientFailure() || tries >= SqlSettings.CONFLICT_BACKOFF.attempts()) {
                        throw e;
                    }
                    batch.rewrite();
                    retryLater(tries);
                }
            }
        }

        private void retryLater(int tries) {
            Backoff.sleep(SqlSettings.CONFLICT_BACKOFF.jitteredMillis(tries), "applying " + log);
        }

        private String progress() {
            sync.await();
            return done.lines() == 0
                    ? "nothing of the log is applied; run it again to begin"
                    : "lines 1 to " + done.lines() + " are applied; run it again to go on at line "
                            + (done.lines() + 1);
        }

        private SluiceException refused(LineException e) {
            String message = log + ", line " + e.line() + ": " + e.getMessage() + "; " + progress();
            return e.transientFailure()
                    ? new OperationFailedException(message)
                    : new BadInputException(message
                            + (settings.upsert()
                                    ? " when that line is corrected"
                                    : " when that line is corrected, or with --upsert if the rows may be ahead of"
                                            + " the log"));
        }
    }

    /**
     * Settings for applying a change log.
     *
     * @param workers number of threads; 1 uses only the caller's thread
     * @param batchLines limit of lines in one transaction
     * @param upsert whether the rows may be ahead of the log: an insert or a move replaces an existing row, an update
     *     inserts a missing row if it names all columns and is passed over otherwise, a delete ignores a missing row
     * @param fromStart whether to ignore the position of an earlier run
     * @param name key under which the store keeps the position of the log
     */
    public record Settings(int workers, int batchLines, boolean upsert, boolean fromStart, String name) {
        private static final int MAX_WORKERS = 256;
        private static final int MAX_BATCH_LINES = 1 << 17;

        /**
         * Validates all settings.
         *
         * @throws BadInputException if any is out of range; the message lists all of them
         */
        public Settings {
            List<String> wrong = new ArrayList<>();
            if (workers < 1 || workers > MAX_WORKERS) {
                wrong.add("workers: " + workers + ", must be 1 to " + MAX_WORKERS);
            }
            if (batchLines < 1 || batchLines > MAX_BATCH_LINES) {
                wrong.add("lines of a transaction: " + batchLines + ", must be 1 to " + MAX_BATCH_LINES);
            }
            if (name.isEmpty() || name.length() > LogPosition.MAX_NAME) {
                wrong.add("name of the log: must have 1 to " + LogPosition.MAX_NAME + " characters");
            }
            if (!wrong.isEmpty()) {
                throw new BadInputException(String.join("; ", wrong));
            }
        }
    }

    /**
     * Result of applying a change log.
     *
     * @param skipped lines that an earlier run had applied
     * @param changes lines that this run applied
     * @param passedOver updates of some columns among them, of missing rows that a log from before the snapshot may
     *     delete later
     * @param transactions number of transactions of this run
     * @param millis duration of this run
     */
    public record Report(long skipped, long changes, long passedOver, long transactions, long millis) {
        private static final double MILLIS_PER_SECOND = 1000;

        public double changesPerSecond() {
            return changes * MILLIS_PER_SECOND / Math.max(1, millis);
        }
    }
}
