package io.sluice.sql.distributed;

import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Participants;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.model.schema.Table;
import io.sluice.sql.transaction.ReadWriteSet;
import io.sluice.sql.transaction.Snapshot;
import io.sluice.sql.transaction.Tables;
import io.sluice.sql.transaction.TaskPool;
import org.jspecify.annotations.Nullable;

/**
 * Tables that are distributed over several nodes. This process coordinates transactions; the nodes hold the rows and
 * detect conflicts.
 */
public final class DistributedTables implements Tables {
    private static final int THREADS = 32;
    private static final int MAX_QUEUED = 4096;
    private static final long CLOSE_SECONDS = 5;

    private final Participants nodes;
    private final TaskPool tasks = new TaskPool("sluice-nodes", THREADS, MAX_QUEUED);
    private final PostCommitNotifier notifier = new PostCommitNotifier(tasks);
    private volatile @Nullable ClusterView clusterView;
    private volatile boolean closed;

    /**
     * Uses the tables of these nodes.
     *
     * @param nodes closed by {@link #close}
     */
    public DistributedTables(Participants nodes) {
        this.nodes = nodes;
    }

    /** For parallel requests to several nodes. */
    TaskPool tasks() {
        return tasks;
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
            last = ClusterView.of(outdated + 1, nodes, notifier);
            clusterView = last;
        }
        return last;
    }

    /** Drops a view whose nodes answer no more, or not yet: the next statement asks all nodes again. */
    synchronized void outdated(ClusterView view) {
        ClusterView last = clusterView;
        if (last != null && last.number() == view.number()) {
            clusterView = null;
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
     * Reads the position from the node that stores it; that node stays the same as long as the same nodes are named.
     */
    @Override
    public byte @Nullable [] position(String log) {
        ClusterView now = clusterView();
        Participant logNode = now.node(now.logNode());
        ReadAnswer answer = logNode.read(ReadRequest.position(log));
        notifier.release(logNode, answer.snapshot());
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
