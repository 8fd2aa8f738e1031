package io.sluice.node.sql;

import io.sluice.api.error.SluiceException;
import io.sluice.api.kv.CorruptKvException;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.SqlParser;
import io.sluice.api.sql.Statement;
import io.sluice.api.sql.StatementException;
import io.sluice.api.sql.StatementResult;
import io.sluice.api.sql.StatementText;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One client's sequence of statements. Usable by several threads; statements run one at a time.
 *
 * <pre>
 *            BEGIN                    a statement fails
 *   NONE  ----------->  OPEN  --------------------------->  ABORTED
 *    ^                   |                                     |
 *    +-- COMMIT, ROLLBACK+------------- COMMIT, ROLLBACK ------+
 * </pre>
 *
 * In NONE each statement is a transaction of its own, tried again a few times when it meets another. In ABORTED COMMIT
 * is refused and nothing else than COMMIT and ROLLBACK is done.
 */
public final class SqlSession implements AutoCloseable {
    /** Statements of their own meet each other rarely; many in a row would mean that one key is all that is written. */
    private static final int MAX_TRIES = 64;

    private final SqlEngine engine;
    private final UUID id;
    private final ReentrantLock lock = new ReentrantLock(true);
    private volatile @Nullable Transaction transaction;
    private boolean aborted;
    private volatile boolean ended;
    private volatile long lastUsedMillis;

    SqlSession(SqlEngine engine, UUID id, long nowMillis) {
        this.engine = engine;
        this.id = id;
        lastUsedMillis = nowMillis;
    }

    /** What clients call it by. */
    public UUID id() {
        return id;
    }

    /** Whether BEGIN was said, and neither COMMIT nor ROLLBACK since. */
    public boolean inTransaction() {
        return transaction != null || aborted;
    }

    /**
     * Executes statements in turn up to the first that fails.
     *
     * @return one result per statement that was begun, a failed one last
     */
    public List<StatementResult> execute(List<StatementText> statements) {
        List<StatementResult> results = new ArrayList<>();
        for (StatementText statement : statements) {
            StatementResult result = execute(statement);
            results.add(result);
            if (result instanceof StatementResult.Failed) {
                break;
            }
        }
        return results;
    }

    /** Executes one statement; what goes wrong is its result. */
    public StatementResult execute(StatementText text) {
        lock.lock();
        try {
            if (ended) {
                return failed(SqlErrorCode.SESSION, "the session has ended; what was not committed is undone");
            }
            StatementResult result = tried(text);
            if (result instanceof StatementResult.Failed && transaction != null) {
                aborted = true;
                closeTransaction();
            }
            return result;
        } finally {
            lastUsedMillis = engine.clock().millis();
            lock.unlock();
        }
    }

    private StatementResult tried(StatementText text) {
        try {
            return run(SqlParser.parse(text, engine::table));
        } catch (StatementException e) {
            return failed(e.code(), e.text());
        } catch (SluiceException e) {
            return failed(SqlErrorCode.FAILED, String.valueOf(e.getMessage()));
        } catch (CorruptKvException e) {
            return failed(SqlErrorCode.FAILED, "the store is damaged: " + e.getMessage());
        } catch (IllegalStateException e) {
            if (engine.closed()) {
                return failed(SqlErrorCode.FAILED, "the store was closed");
            }
            throw e;
        }
    }

    private static StatementResult failed(SqlErrorCode code, String message) {
        return new StatementResult.Failed(code, message);
    }

    private StatementResult run(Statement statement) {
        if (statement instanceof Statement.Begin) {
            return begin();
        }
        if (statement instanceof Statement.Commit) {
            return commit();
        }
        if (statement instanceof Statement.Rollback) {
            requireTransaction("ROLLBACK");
            aborted = false;
            closeTransaction();
            return new StatementResult.Done("rollback");
        }
        if (aborted) {
            throw new StatementException(
                    SqlErrorCode.ABORTED, "a statement of this transaction failed; say ROLLBACK, then begin again");
        }
        Transaction current = transaction;
        return current == null
                ? byItself(statement)
                : Execution.of(current, statement, engine.settings().resultBytes());
    }

    private StatementResult begin() {
        if (inTransaction()) {
            throw new StatementException(
                    SqlErrorCode.NO_TRANSACTION, "a transaction is open already; say COMMIT or ROLLBACK first");
        }
        transaction = engine.begin();
        return new StatementResult.Done("begin");
    }

    private StatementResult commit() {
        requireTransaction("COMMIT");
        if (aborted) {
            aborted = false;
            throw new StatementException(
                    SqlErrorCode.ABORTED, "a statement of this transaction failed: nothing of it was done");
        }
        Transaction current = transaction;
        try {
            if (current != null) {
                engine.commit(current);
            }
            return new StatementResult.Done("commit");
        } finally {
            closeTransaction();
        }
    }

    private void requireTransaction(String what) {
        if (!inTransaction()) {
            throw new StatementException(
                    SqlErrorCode.NO_TRANSACTION, what + ": no transaction is open; say BEGIN first");
        }
    }

    /** A statement outside of BEGIN and COMMIT. */
    private StatementResult byItself(Statement statement) {
        for (int tries = 1; ; tries++) {
            try (Transaction own = engine.begin()) {
                StatementResult result =
                        Execution.of(own, statement, engine.settings().resultBytes());
                engine.commit(own);
                return result;
            } catch (StatementException e) {
                if (e.code() != SqlErrorCode.CONFLICT || tries >= MAX_TRIES) {
                    throw e;
                }
            }
        }
    }

    private void closeTransaction() {
        Transaction open = transaction;
        transaction = null;
        if (open != null) {
            open.close();
        }
    }

    /** Ends the session if nobody uses it or has since a moment. */
    void endIfIdleSince(long millis) {
        if (lastUsedMillis <= millis && lock.tryLock()) {
            try {
                // Somebody may have come and gone before the lock was ours.
                if (lastUsedMillis <= millis) {
                    end();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Releases what a statement under way reads from, without waiting for it; it then fails. */
    void kill() {
        ended = true;
        Transaction open = transaction;
        if (open != null) {
            open.close();
        }
    }

    private void end() {
        ended = true;
        aborted = false;
        closeTransaction();
        engine.ended(this);
    }

    /** Ends the session when the statement under way has ended; what was not committed is undone. */
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
