package io.sluice.sql.distributed;

import io.sluice.api.node.TableStatus;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Participants;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.schema.Table;
import io.sluice.model.thread.Backoff;
import io.sluice.sql.transaction.ReadWriteSet;
import io.sluice.sql.transaction.Snapshot;
import io.sluice.sql.transaction.Tables;
import io.sluice.sql.transaction.TaskPool;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tables that are distributed over several nodes. This process coordinates transactions; the nodes hold the rows and
 * detect conflicts.
 */
public final class DistributedTables implements Tables {
    private static final int THREADS = 32;
    private static final int MAX_QUEUED = 4096;
    private static final long CLOSE_SECONDS = 5;
    /** Snapshots of one node that are taken in the background at a time: a silent node must not take all threads. */
    private static final int MOST_OPENING = 4;
    /** A node that the cluster does not go on without, but that does not answer, is not asked for again so soon. */
    private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Twenty waits of 0.1 to 1 s: 8 to 17 s, in which a node asks for the outcome of a transaction. */
    private static final Backoff IN_DOUBT = new Backoff(100, 1_000, 20);

    private final Participants nodes;
    private final Clock clock;
    private final TaskPool tasks = new TaskPool("sluice-nodes", THREADS, MAX_QUEUED);
    private final PostCommitNotifier notifier = new PostCommitNotifier(tasks);
    /** When the cluster was last asked to go on without a node. Guarded by itself. */
    private final Map<String, Asked> asked = new HashMap<>();

    /** By node, the number of snapshots that are taken in the background. */
    private final Map<String, Semaphore> opening = new ConcurrentHashMap<>();

    private volatile @Nullable ClusterView clusterView;
    /** Number of the latest view. */
    private int views;

    private volatile boolean closed;

    /**
     * The end of a wait for the cluster to go on without a node.
     *
     * @param views number of the latest view then
     */
    private record Asked(long nanos, int views) {}

    /**
     * Uses the tables of these nodes.
     *
     * @param nodes closed by {@link #close}
     * @param clock a clock that is not set
     */
    public DistributedTables(Participants nodes, Clock clock) {
        this.nodes = nodes;
        this.clock = clock;
    }

    Clock clock() {
        return clock;
    }

    /** For parallel requests to several nodes. */
    TaskPool tasks() {
        return tasks;
    }

    /**
     * Takes a node's snapshot in the background, unless that happens for several transactions already. The next read
     * takes one that was not taken, and reports the error.
     */
    void openLater(NodeSnapshot snapshot) {
        Semaphore free = opening.computeIfAbsent(snapshot.node().id(), id -> new Semaphore(MOST_OPENING));
        if (free.tryAcquire() && !tasks.submit(() -> openAndFree(snapshot, free))) {
            free.release();
        }
    }

    private static void openAndFree(NodeSnapshot snapshot, Semaphore free) {
        try {
            UUID unused = snapshot.open();
        } catch (RuntimeException e) {
            // The next read reports it.
            return;
        } finally {
            free.release();
        }
    }

    PostCommitNotifier notifier() {
        return notifier;
    }

    /** Returns the cached view of the cluster, or asks all nodes if there is none yet. */
    ClusterView clusterView() {
        ClusterView last = clusterView;
        return last == null ? refreshed(0) : last;
    }

    /**
     * Refreshes the view of the cluster, unless another thread has just done so.
     *
     * @param outdated number of the view that is known to be stale; 0 if there is no view
     */
    synchronized ClusterView refreshed(int outdated) {
        ClusterView last = clusterView;
        if (last == null || last.number() <= outdated) {
            views++;
            last = ClusterView.of(views, nodes, notifier, tasks);
            clusterView = last;
        }
        return last;
    }

    private synchronized int latestView() {
        return views;
    }

    /** Drops a view whose nodes answer no more, or not yet: the next statement asks all nodes again. */
    synchronized void outdated(ClusterView view) {
        ClusterView last = clusterView;
        if (last != null && last.number() == view.number()) {
            clusterView = null;
        }
    }

    /** Whether another view takes this one's place, or will. */
    boolean isOutdated(ClusterView view) {
        ClusterView last = clusterView;
        return last == null || last.number() != view.number();
    }

    /** The tables as the nodes of a view have them now. */
    List<TableStatus> statuses(ClusterView view) {
        return nodes.tables(view.silent().keySet());
    }

    /** Whether the nodes are a cluster: its log decides transactions, and it goes on without a lost node. */
    boolean survivesLosses() {
        return nodes.survivesLosses();
    }

    /** See {@link Participants#seen}. */
    long seen() {
        return nodes.seen();
    }

    /** See {@link Participants#decide}. */
    Outcome decide(Decision decision) {
        return nodes.decide(decision);
    }

    /**
     * A conflict that is gone when the transaction is run again: it needs the node no more, or the node is back.
     *
     * @param id id of a member of the cluster
     */
    StatementException unanswered(String id) {
        String node = nodes.nodes().stream()
                .filter(each -> each.id().equals(id))
                .map(Participant::described)
                .findFirst()
                .orElse(id);
        return new StatementException(
                SqlErrorCode.CONFLICT,
                "node " + node + " did not answer; the others go on without it, or it is back: run all of it again");
    }

    /**
     * Asks the cluster to go on without a node that does not answer, and waits until it does, or the node is back. One
     * thread asks for all that need the node.
     *
     * @param view the view with which the caller needs the node
     * @return whether there is a later view, or will be
     */
    boolean leaveOut(String node, ClusterView view) {
        synchronized (asked) {
            ClusterView last = clusterView;
            if (last != null && last.number() != view.number()) {
                return true;
            }
            Asked before = asked.get(node);
            if (before != null && view.number() <= before.views()) {
                // Another thread has asked since the view was made.
                outdated(view);
                return true;
            }
            if (before != null && System.nanoTime() - before.nanos() < ASK_AGAIN_NANOS) {
                // A view that was dropped gets a successor.
                return last == null;
            }
            boolean done = nodes.leaveOut(node);
            outdated(view);
            asked.put(node, new Asked(System.nanoTime(), latestView()));
            return done;
        }
    }

    @Override
    public Snapshot snapshot(ReadWriteSet readWriteSet, boolean multiStatement) {
        return new DistributedSnapshot(this, clusterView(), readWriteSet, multiStatement);
    }

    @Override
    public @Nullable Table table(String name) {
        ClusterView now = clusterView();
        Placement found = now.tables().get(name);
        if (found == null) {
            found = refreshed(now.number()).tables().get(name);
        }
        return found == null ? null : found.table();
    }

    /**
     * Reads the position. A cluster keeps it in its log, which every member knows; any of them may have a transaction
     * in doubt that changes it, so that all are asked. Other nodes keep it on one of them, which stays the same as long
     * as the same nodes are named.
     */
    @Override
    public byte @Nullable [] position(String log) {
        if (!survivesLosses()) {
            ClusterView now = clusterView();
            return position(now.node(now.logNode()), log);
        }
        for (int tries = 1; ; tries++) {
            ClusterView now = clusterView();
            try {
                byte[] position = null;
                for (Participant node : now.nodes().values()) {
                    position = position(node, log);
                }
                return position;
            } catch (NodeUnreachableException e) {
                // The next view is without the node.
                outdated(now);
                if (tries > now.nodes().size()) {
                    throw e;
                }
            }
        }
    }

    /** Asks a node; waits some seconds for the outcome of a transaction that changes the position. */
    private byte @Nullable [] position(Participant node, String log) {
        ReadAnswer answer = null;
        for (int tries = 1; answer == null; tries++) {
            try {
                answer = node.read(ReadRequest.position(log));
            } catch (StatementException e) {
                if (e.code() != SqlErrorCode.CONFLICT || tries > IN_DOUBT.attempts()) {
                    throw e;
                }
                Backoff.sleep(IN_DOUBT.jitteredMillis(tries), "waiting for the outcome of a transaction");
            }
        }
        notifier.release(node, answer.snapshot());
        LogPosition position = answer.position();
        return position == null ? null : position.position();
    }

    @Override
    public boolean closed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        notifier.flush();
        tasks.close(CLOSE_SECONDS);
        nodes.close();
    }
}
