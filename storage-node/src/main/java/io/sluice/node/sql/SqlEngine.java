package io.sluice.node.sql;

import io.sluice.api.schema.TableDef;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.store.RocksStore;
import java.time.Clock;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Executes statements on the tables of one store, in sessions. Usable by several threads.
 *
 * <p>Closing it ends all sessions; do so before the store is closed. A statement under way then fails.
 */
public final class SqlEngine implements AutoCloseable {
    /** How often idle sessions are looked for, within the time they may be idle. */
    private static final int LOOKS_PER_IDLE_TIME = 4;

    private final RocksStore store;
    private final Catalog catalog;
    private final SqlSettings settings;
    private final Clock clock;
    private final RowFetch rows;
    private final Commits commits;
    private final BackgroundPool pool;
    private final Map<UUID, SqlSession> sessions = new ConcurrentHashMap<>();
    private final ScheduledExecutorService sweeper;
    private volatile boolean closed;

    /** An engine without sessions. */
    public SqlEngine(RocksStore store, Catalog catalog, SqlSettings settings, Clock clock, RowFetch rows) {
        this.store = store;
        this.catalog = catalog;
        this.settings = settings;
        this.clock = clock;
        this.rows = rows;
        commits = new Commits(store, catalog, settings);
        pool = new BackgroundPool(settings.parallel().threads());
        sweeper = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "sluice-sql-sessions");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Begins a session. Close it; if nobody uses it for long, it ends by itself.
     *
     * @throws StatementException when there are too many
     */
    public synchronized SqlSession open() {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
        if (sessions.size() >= settings.sessions()) {
            throw new StatementException(
                    SqlErrorCode.SESSION,
                    "there are " + settings.sessions() + " sessions already; try again when one has ended");
        }
        SqlSession session = new SqlSession(this, UUID.randomUUID(), clock.millis());
        boolean first = sessions.isEmpty();
        sessions.put(session.id(), session);
        if (first) {
            lookLater();
        }
        return session;
    }

    /** The session of that id, or null when it has ended. */
    public @Nullable SqlSession session(UUID id) {
        return sessions.get(id);
    }

    /** How many sessions there are. */
    public int sessions() {
        return sessions.size();
    }

    private void lookLater() {
        long pause = Math.max(1, settings.idleMillis() / LOOKS_PER_IDLE_TIME);
        Future<?> unused = sweeper.schedule(this::endIdle, pause, TimeUnit.MILLISECONDS);
    }

    private synchronized void endIdle() {
        long before = clock.millis() - settings.idleMillis();
        sessions.values().forEach(session -> session.endIfIdleSince(before));
        if (!sessions.isEmpty() && !closed) {
            lookLater();
        }
    }

    void ended(SqlSession session) {
        sessions.remove(session.id());
    }

    Transaction begin() {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
        return new Transaction(store, catalog, rows, settings.transactionBytes(), commits.latest());
    }

    /**
     * Begins a transaction on single rows. Close it.
     *
     * @param bytes memory that it may take
     */
    public RowTransaction beginRows(long bytes) {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
        return new RowTransaction(commits, new Transaction(store, catalog, rows, bytes, commits.latest()));
    }

    /** What runs in the background of a transaction. */
    Background background(Transaction transaction) {
        return new Background(transaction, pool.executor(), settings.parallel().queued());
    }

    void commit(Transaction transaction) {
        commits.commit(transaction);
    }

    SqlSettings settings() {
        return settings;
    }

    Clock clock() {
        return clock;
    }

    boolean closed() {
        return closed || store.closed();
    }

    /** The table of that name that can be read, or null. */
    @Nullable
    TableDef table(String name) {
        TableRecord record = catalog.table(name);
        return record == null ? null : record.table().def();
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        sweeper.shutdownNow();
        sessions.values().forEach(SqlSession::kill);
        sessions.clear();
        pool.close();
    }
}
