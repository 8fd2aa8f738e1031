package io.sluice.sql;

import io.sluice.api.transaction.Participants;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.SqlParser;
import io.sluice.grammar.StatementException;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.model.thread.Daemons;
import io.sluice.node.StorageNode;
import io.sluice.sql.distributed.DecisionLog;
import io.sluice.sql.distributed.DistributedTables;
import io.sluice.sql.distributed.Peers;
import io.sluice.sql.distributed.Resolver;
import io.sluice.sql.distributed.TransactionParticipant;
import io.sluice.sql.transaction.Commits;
import io.sluice.sql.transaction.StoreTables;
import io.sluice.sql.transaction.Tables;
import io.sluice.sql.transaction.TaskPool;
import io.sluice.sql.transaction.Transaction;
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
 * Executes SQL statements in sessions, on the tables of one store or of several nodes. Thread-safe.
 *
 * <p>Closing it ends all sessions; running statements fail. Close it before the store.
 */
public final class SqlEngine implements AutoCloseable {
    /** Sweeps for idle sessions per idle timeout. */
    private static final int SWEEPS_PER_IDLE_TIME = 4;

    private final Tables tables;
    /** Null if the engine coordinates other nodes. */
    private final @Nullable TransactionParticipant participant;

    private final SqlSettings settings;
    private final Clock clock;
    private final SqlParser parser = new SqlParser();
    /** For background statements. The queue needs no limit: the pending statements of each session are limited. */
    private final TaskPool pool;

    private final Map<UUID, SqlSession> sessions = new ConcurrentHashMap<>();
    private final ScheduledExecutorService sweeper;
    private volatile boolean closed;

    /**
     * Creates an engine on the tables of a node in this process.
     *
     * @param node closed by the caller, after the engine
     */
    public static SqlEngine on(StorageNode node, SqlSettings settings) {
        Commits commits = new Commits(
                node.store(),
                node.catalog(),
                settings.recent().commits(),
                settings.recent().bytes());
        return new SqlEngine(new StoreTables(node.store(), node.catalog(), commits), settings, node.clock());
    }

    private SqlEngine(StoreTables own, SqlSettings settings, Clock clock) {
        this(
                own,
                new TransactionParticipant(
                        own,
                        settings.branches().snapshots(),
                        settings.sessions().idleMillis(),
                        settings.branches().askAfterMillis(),
                        clock),
                settings,
                clock);
    }

    /**
     * Creates an engine on tables that are distributed over several nodes.
     *
     * @param nodes closed by {@link #close}
     */
    public static SqlEngine onNodes(Participants nodes, SqlSettings settings, Clock clock) {
        return new SqlEngine(new DistributedTables(nodes, clock), null, settings, clock);
    }

    private SqlEngine(Tables tables, @Nullable TransactionParticipant participant, SqlSettings settings, Clock clock) {
        this.tables = tables;
        this.participant = participant;
        this.settings = settings;
        this.clock = clock;
        pool = new TaskPool("sluice-sql-background", settings.parallel().threads(), Integer.MAX_VALUE);
        sweeper = Executors.newSingleThreadScheduledExecutor(Daemons.named("sluice-sql-sessions"));
    }

    /**
     * Opens a session. The caller closes it; it also ends when it is idle for too long.
     *
     * @throws StatementException if the limit of sessions is reached
     */
    public synchronized SqlSession open() {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
        if (sessions.size() >= settings.sessions().most()) {
            throw new StatementException(
                    SqlErrorCode.SESSION,
                    "there are " + settings.sessions().most() + " sessions already; try again when one has ended");
        }
        SqlSession session = new SqlSession(this, UUID.randomUUID(), clock.millis());
        boolean first = sessions.isEmpty();
        sessions.put(session.id(), session);
        if (first) {
            scheduleSweep();
        }
        return session;
    }

    /** Returns a session by id, or null if it has ended. */
    public @Nullable SqlSession session(UUID id) {
        return sessions.get(id);
    }

    /** Number of open sessions. */
    public int sessions() {
        return sessions.size();
    }

    private void scheduleSweep() {
        long pause = Math.max(1, settings.sessions().idleMillis() / SWEEPS_PER_IDLE_TIME);
        Future<?> unused = sweeper.schedule(this::endIdle, pause, TimeUnit.MILLISECONDS);
    }

    private synchronized void endIdle() {
        long before = clock.millis() - settings.sessions().idleMillis();
        sessions.values().forEach(session -> session.endIfIdleSince(before));
        if (!sessions.isEmpty() && !closed) {
            scheduleSweep();
        }
    }

    void ended(SqlSession session) {
        sessions.remove(session.id());
    }

    Transaction begin(boolean multiStatement) {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
        return new Transaction(tables, settings.memory().transactionBytes(), multiStatement);
    }

    /**
     * Begins a transaction on single rows. The caller closes it.
     *
     * @param bytes memory limit of the transaction
     */
    public RowTransaction beginRows(long bytes) {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
        return new RowTransaction(new Transaction(tables, bytes, true), settings.deletes());
    }

    /**
     * Returns the participant for transactions that other processes coordinate.
     *
     * @throws IllegalStateException if this engine coordinates other nodes
     */
    public TransactionParticipant participant() {
        if (participant == null) {
            throw new IllegalStateException("the tables are those of other nodes");
        }
        return participant;
    }

    /**
     * Starts a resolver of branches in doubt. The caller closes it before the engine.
     *
     * @param log the log of the node's cluster; null: it is in none
     */
    public Resolver resolver(Peers peers, @Nullable DecisionLog log) {
        return new Resolver(participant(), peers, log);
    }

    /** Creates the runner of a transaction's background statements. */
    Background background(Transaction transaction) {
        return new Background(transaction, pool, settings);
    }

    SqlParser parser() {
        return parser;
    }

    SqlSettings settings() {
        return settings;
    }

    Clock clock() {
        return clock;
    }

    boolean closed() {
        return closed || tables.closed();
    }

    /** Returns the readable table of that name, with the ids in its keys, or null. */
    public @Nullable Table bound(String name) {
        return tables.table(name);
    }

    /** Returns the position of a change log that the latest {@link RowTransaction#commit} stored, or null. */
    public byte @Nullable [] position(String log) {
        return tables.position(log);
    }

    /** Returns the readable table of that name, or null. */
    @Nullable
    TableDef table(String name) {
        Table bound = tables.table(name);
        return bound == null ? null : bound.def();
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
        if (participant != null) {
            participant.close();
        }
        tables.close();
    }
}
