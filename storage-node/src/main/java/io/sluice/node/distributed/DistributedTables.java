package io.sluice.node.distributed;

import io.sluice.api.schema.Table;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Participants;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.node.transaction.ReadWriteSet;
import io.sluice.node.transaction.Snapshot;
import io.sluice.node.transaction.Tables;
import org.jspecify.annotations.Nullable;

/** Tables whose keys are divided over several nodes: this process coordinates, the nodes hold and check. */
public final class DistributedTables implements Tables {
    private final Participants nodes;
    private final Tasks tasks = new Tasks();
    private final PostCommitNotifier aftermath = new PostCommitNotifier(tasks);
    private volatile @Nullable ClusterView known;
    private volatile boolean closed;

    /**
     * Those that some nodes hold.
     *
     * @param nodes closed with the tables
     */
    public DistributedTables(Participants nodes) {
        this.nodes = nodes;
    }

    Tasks tasks() {
        return tasks;
    }

    PostCommitNotifier aftermath() {
        return aftermath;
    }

    /** The tables, which are asked for when nobody has yet. */
    ClusterView known() {
        ClusterView last = known;
        return last == null ? refreshed(0) : last;
    }

    /**
     * The tables, asked for anew unless somebody else has just done so.
     *
     * @param outdated number of those that are known not to be right; 0 for none
     */
    synchronized ClusterView refreshed(int outdated) {
        ClusterView last = known;
        if (last == null || last.number() <= outdated) {
            last = ClusterView.of(outdated + 1, nodes, aftermath);
            known = last;
        }
        return last;
    }

    @Override
    public Snapshot snapshot(ReadWriteSet ledger, boolean several) {
        return new DistributedSnapshot(this, known(), ledger, several);
    }

    @Override
    public @Nullable Table table(String name) {
        ClusterView now = known();
        Placement found = now.tables().get(name);
        if (found == null) {
            found = refreshed(now.number()).tables().get(name);
        }
        return found == null ? null : found.table();
    }

    /** Kept by one of the nodes, always the same as long as the same nodes are named. */
    @Override
    public byte @Nullable [] position(String log) {
        ClusterView now = known();
        Participant keeper = now.node(now.keeper());
        ReadAnswer answer = keeper.read(ReadRequest.position(log));
        aftermath.release(keeper, answer.snapshot());
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
        aftermath.flush();
        tasks.close();
        nodes.close();
    }
}
