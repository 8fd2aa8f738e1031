package io.sluice.node.http;

import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.api.wire.JobsBody;
import io.sluice.api.wire.JobsChange;
import io.sluice.sql.distributed.DecisionLog;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A node's membership in a cluster, as its server shows it. Thread-safe. */
public interface Membership extends DecisionLog {
    /** The cluster; null while the node is in none. */
    @Nullable
    ClusterBody cluster();

    /** Whether this node has never been in the cluster that it is to found or join. */
    boolean joining();

    /**
     * Says why this node may lack what the cluster has decided, so that it must not read rows or take part in
     * transactions; null: it has all of it.
     */
    @Nullable
    String outdated();

    /** Waits for a moment until this node has all that the cluster had decided before the call; whether it has. */
    boolean catchUp();

    /**
     * Changes the cluster: replicates the change, then lets exactly its members vote. Repeating it changes nothing.
     *
     * @throws io.sluice.model.error.BadInputException if another node has the name of an added one
     * @throws io.sluice.model.error.OperationFailedException if this node does not lead the cluster, or most nodes do
     *     not answer
     */
    ClusterBody change(ClusterChange change);

    /** Whether the cluster has dropped a table, as far as this node has applied the log. */
    boolean dropped(int tableId);

    /**
     * The id of the import that has published a table, or was the last to add rows to it. Null if there is none, as far
     * as this node has applied the log.
     */
    @Nullable
    UUID publisher(int tableId);

    /**
     * The jobs of import services and their lease, as of this call.
     *
     * @param leaseOnly whether the jobs are left out
     * @throws io.sluice.model.error.OperationFailedException if most nodes do not answer
     */
    JobsBody jobs(boolean leaseOnly);

    /**
     * Changes the jobs of import services or their lease.
     *
     * @throws io.sluice.model.error.ChangeRefusedException if another service holds the lease
     * @throws io.sluice.model.error.OperationFailedException if most nodes do not answer; it may take effect all the
     *     same
     */
    void change(JobsChange change);
}
