package io.sluice.sql;

import io.sluice.grammar.RowSink;
import io.sluice.grammar.SqlClient;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.Statement;
import io.sluice.grammar.StatementException;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.StatementText;
import io.sluice.model.error.AmbiguousCommitException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.CorruptKvException;
import io.sluice.model.thread.Backoff;
import io.sluice.sql.transaction.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client's SQL session. Thread-safe; statements run one at a time.
 *
 * <pre>
 *            BEGIN                    a statement fails
 *   NONE  ----------->  OPEN  --------------------------->  ABORTED
 *    ^                   |                                     |
 *    +-- COMMIT, ROLLBACK+------------- COMMIT, ROLLBACK ------+
 *
 *   any state  -----------> ENDED: closed, idle for too long, or the engine was closed
 * </pre>
 *
 * <p>In NONE each statement is an autocommit transaction; on a conflict the session waits and retries it, as
 * {@link SqlSettings#CONFLICT_BACKOFF} says. In ABORTED only ROLLBACK succeeds; COMMIT fails and ends the transaction.
 *
 * <p>In OPEN a statement with RETURNING NOTHING is answered at once and runs in the background. Every other statement
 * is a barrier: it waits for all background statements, and fails with the earliest failure among them.
 */
public final class SqlSession implements SqlClient {
    private final SqlEngine engine;
    private final UUID id;
    private final ReentrantLock lock = new ReentrantLock(true);
    private final AtomicReference<State> state = new AtomicReference<>(Idle.NONE);
    private volatile long lastUsedMillis;
    /** The request whose statement runs, and where its rows go; null: into the result. Used under the lock. */
    private Cancellation request = new Cancellation();

    private @Nullable Passing sink;

    /** Passes rows on, and knows whether it has: from then on a statement is not tried again. */
    private static final class Passing implements RowSink {
        private final RowSink to;
        private boolean named;
        private boolean passed;

        Passing(RowSink to) {
            this.to = to;
        }

        @Override
        public void columns(List<String> names) {
            if (!named) {
                named = true;
                to.columns(names);
            }
        }

        @Override
        public void row(List<@Nullable String> row) {
            passed = true;
            to.row(row);
        }
    }

    /** A state of the drawing above. */
    private sealed interface State {}

    private enum Idle implements State {
        NONE,
        ABORTED,
        ENDED
    }

    /** An open transaction and its statements in the background. */
    private record Open(Transaction transaction, Background background) implements State {}

    SqlSession(SqlEngine engine, UUID id, long nowMillis) {
        this.engine = engine;
        this.id = id;
        lastUsedMillis = nowMillis;
    }

    /** The id by which clients refer to the session. */
    public UUID id() {
        return id;
    }

    @Override
    public boolean inTransaction() {
        State now = state.get();
        return now instanceof Open || now == Idle.ABORTED;
    }

    /**
     * Moves to another state; ENDED is final. Before OPEN is left, background statements end; then its transaction is
     * closed. The caller holds the lock.
     */
    private void become(State next) {
        if (state.get() instanceof Open open) {
            open.background().stop();
            open.background().await();
        }
        State left = state.getAndUpdate(now -> now == Idle.ENDED ? now : next);
        State done = left == Idle.ENDED ? next : left;
        if (done instanceof Open open) {
            open.transaction().close();
        }
    }

    /** Executes statements in order up to the first failure, as a request that nothing ends. */
    public List<StatementResult> execute(List<StatementText> statements) {
        return execute(statements, new Cancellation());
    }

    /**
     * Executes statements in order up to the first failure.
     *
     * @param ending ends them
     * @return one result per started statement; a failure is last
     */
    public List<StatementResult> execute(List<StatementText> statements, Cancellation ending) {
        List<StatementResult> results = new ArrayList<>();
        long bytes = 0;
        for (StatementText statement : statements) {
            StatementResult result = bytes > engine.settings().memory().resultBytes()
                    ? refuse(new StatementResult.Failed(
                            SqlErrorCode.TOO_LARGE, "the statements before have too many rows to be sent together"))
                    : execute(statement, null, ending);
            results.add(result);
            bytes += ResultRows.bytes(result);
            if (result instanceof StatementResult.Failed) {
                break;
            }
        }
        return results;
    }

    /** Aborts the open transaction because of a statement that failed before it reached the session. */
    public StatementResult refuse(StatementResult.Failed failure) {
        lock.lock();
        try {
            become(inTransaction() ? Idle.ABORTED : Idle.NONE);
            return failure;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public StatementResult execute(StatementText text, RowSink rows) {
        return execute(text, rows, new Cancellation());
    }

    /** Executes a statement whose result has its rows, within a limit of memory. */
    public StatementResult execute(StatementText text) {
        return execute(text, null, new Cancellation());
    }

    /**
     * Executes a statement.
     *
     * @param rows takes the rows of a SELECT; null: the result has them, within a limit of memory
     * @param ending ends it
     */
    public StatementResult execute(StatementText text, @Nullable RowSink rows, Cancellation ending) {
        lock.lock();
        request = ending;
        sink = rows == null ? null : new Passing(rows);
        try {
            if (state.get() == Idle.ENDED) {
                return failed(SqlErrorCode.SESSION, "the session has ended; what was not committed is undone");
            }
            StatementResult result = executeCatching(text);
            return result instanceof StatementResult.Failed failure && state.get() instanceof Open
                    ? refuse(failure)
                    : result;
        } finally {
            ending.running(null);
            sink = null;
            lastUsedMillis = engine.clock().millis();
            lock.unlock();
        }
    }

    private StatementResult executeCatching(StatementText text) {
        try {
            return run(parsed(text), text);
        } catch (StatementException e) {
            return failed(e.code(), e.text());
        } catch (AmbiguousCommitException e) {
            return failed(SqlErrorCode.AMBIGUOUS, String.valueOf(e.getMessage()));
        } catch (SluiceException e) {
            return failed(SqlErrorCode.FAILED, String.valueOf(e.getMessage()));
        } catch (CorruptKvException e) {
            return failed(SqlErrorCode.FAILED, "the store is damaged: " + e.getMessage());
        } catch (RuntimeException | Error e) {
            if (e instanceof IllegalStateException && engine.closed()) {
                return failed(SqlErrorCode.FAILED, "the store was closed");
            }
            if (inTransaction()) {
                // Half of the statement may be done: it must not be committed.
                become(Idle.ABORTED);
            }
            throw e;
        }
    }

    private static StatementResult failed(SqlErrorCode code, String message) {
        return new StatementResult.Failed(code, message);
    }

    /** Parses a statement. A syntax error is a barrier too. */
    private Statement parsed(StatementText text) {
        try {
            return engine.parser().parse(text, engine::table);
        } catch (StatementException e) {
            barrier();
            throw e;
        }
    }

    private StatementResult run(Statement statement, StatementText text) {
        if (statement instanceof Statement.Begin) {
            return begin();
        }
        if (statement instanceof Statement.Commit) {
            return commit();
        }
        if (statement instanceof Statement.Rollback) {
            requireTransaction("ROLLBACK");
            become(Idle.NONE);
            return new StatementResult.Done("rollback");
        }
        State now = state.get();
        if (now == Idle.ABORTED) {
            throw new StatementException(
                    SqlErrorCode.ABORTED, "a statement of this transaction failed; say ROLLBACK, then begin again");
        }
        if (!(now instanceof Open open)) {
            return autocommit(statement);
        }
        if (statement instanceof Statement.Write write && write.returningNothing()) {
            open.background().submit(statement, text);
            return new StatementResult.Done("started");
        }
        open.background().barrier();
        request.running(open.transaction());
        return Execution.of(open.transaction(), statement, engine.settings(), sink);
    }

    /** Waits for all background statements, and throws the earliest failure among them. */
    private void barrier() {
        if (state.get() instanceof Open open) {
            open.background().barrier();
        }
    }

    private StatementResult begin() {
        if (inTransaction()) {
            barrier();
            throw new StatementException(
                    SqlErrorCode.NO_TRANSACTION, "a transaction is open already; say COMMIT or ROLLBACK first");
        }
        Transaction begun = engine.begin(true);
        become(new Open(begun, engine.background(begun)));
        return new StatementResult.Done("begin");
    }

    private StatementResult commit() {
        requireTransaction("COMMIT");
        State now = state.get();
        try {
            if (now == Idle.ABORTED) {
                throw new StatementException(
                        SqlErrorCode.ABORTED, "a statement of this transaction failed: nothing of it was done");
            }
            if (now instanceof Open open) {
                open.background().barrier();
                open.transaction().commit();
            }
            return new StatementResult.Done("commit");
        } finally {
            become(Idle.NONE);
        }
    }

    private void requireTransaction(String what) {
        if (!inTransaction()) {
            throw new StatementException(
                    SqlErrorCode.NO_TRANSACTION, what + ": no transaction is open; say BEGIN first");
        }
    }

    /** Executes a statement outside of BEGIN and COMMIT. */
    private StatementResult autocommit(Statement statement) {
        return statement instanceof Statement.Delete delete
                        && delete.returning().outputs().isEmpty()
                ? deleteInSteps(delete)
                : inOwnTransaction(own -> Execution.of(own, statement, engine.settings(), sink));
    }

    /** Executes a DELETE of any size: by span in several transactions of bounded size, row by row in one. */
    private StatementResult deleteInSteps(Statement.Delete delete) {
        String table = delete.table().name();
        DeletedRows soFar = DeletedRows.NONE;
        do {
            byte[] from = soFar.resume();
            try {
                soFar = soFar.then(inOwnTransaction(own ->
                        DeleteRun.step(own, delete, from, engine.settings().deletes())));
            } catch (StatementException e) {
                if (from == null) {
                    throw e;
                }
                throw new StatementException(
                        e.code(),
                        e.text() + "; " + soFar.of(table) + " rows of " + table
                                + " are deleted, with all rows interleaved in them: run it again to delete the rest");
            }
        } while (soFar.resume() != null);
        return soFar.result(table);
    }

    private <T> T inOwnTransaction(Function<Transaction, T> work) {
        for (int tries = 1; ; tries++) {
            try (Transaction own = engine.begin(false)) {
                request.running(own);
                T result = work.apply(own);
                own.commit();
                return result;
            } catch (StatementException e) {
                if (e.code() != SqlErrorCode.CONFLICT
                        || (sink != null && sink.passed)
                        || tries >= SqlSettings.CONFLICT_BACKOFF.attempts()) {
                    throw e;
                }
                Backoff.sleep(
                        SqlSettings.CONFLICT_BACKOFF.jitteredMillis(tries), "retrying a statement that conflicted");
            }
        }
    }

    /** Ends the session if it is idle and was last used at or before a time. */
    void endIfIdleSince(long millis) {
        if (lastUsedMillis <= millis && lock.tryLock()) {
            try {
                // Check again: another thread may have used the session before this one got the lock.
                if (lastUsedMillis <= millis) {
                    end();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Closes the transaction without waiting for the running statement, which then fails. */
    void kill() {
        if (state.getAndSet(Idle.ENDED) instanceof Open open) {
            open.background().stop();
            open.transaction().close();
        }
    }

    private void end() {
        become(Idle.ENDED);
        engine.ended(this);
    }

    /** Waits for the running statement, rolls back, and ends the session. */
    @Override
    public void close() {
        lock.lock();
        try {
            end();
        } finally {
            lock.unlock();
        }
    }
}
