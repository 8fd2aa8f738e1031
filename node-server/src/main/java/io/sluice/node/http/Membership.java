package io.sluice.node.http;

import io.sluice.api.wire.ClusterBody;
import org.jspecify.annotations.Nullable;

/** A node's membership in a cluster, as its server shows it. Thread-safe. */
public interface Membership {
    /** The cluster; null while the node is in none. */
    @Nullable
    ClusterBody cluster();

    /**
     * Adds a node to the cluster; repeating it changes nothing.
     *
     * @throws io.sluice.model.error.BadInputException if another node has its name
     * @throws io.sluice.model.error.OperationFailedException if this node does not lead the cluster, or the others do
     *     not answer
     */
    ClusterBody add(ClusterBody.Member member);
}
