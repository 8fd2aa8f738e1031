package io.sluice.node.http;

import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.sql.distributed.DecisionLog;
import org.jspecify.annotations.Nullable;

/** A node's membership in a cluster, as its server shows it. Thread-safe. */
public interface Membership extends DecisionLog {
    /** The cluster; null while the node is in none. */
    @Nullable
    ClusterBody cluster();

    /**
     * Says why this node may lack what the cluster has decided, so that it must not read rows or take part in
     * transactions; null: it has all of it.
     */
    @Nullable
    String outdated();

    /**
     * Changes the cluster: replicates the change, then lets exactly its members vote. Repeating it changes nothing.
     *
     * @throws io.sluice.model.error.BadInputException if another node has the name of an added one
     * @throws io.sluice.model.error.OperationFailedException if this node does not lead the cluster, or most nodes do
     *     not answer
     */
    ClusterBody change(ClusterChange change);
}
