package io.sluice.service.run;

import io.sluice.api.node.NodeStatus;
import org.jspecify.annotations.Nullable;

/**
 * A node that a service imports into, as it is now.
 *
 * @param name its name in the cluster, or its address
 * @param address where it listens; null for the store of this process
 * @param role its part in the cluster: leader, member, learner (without a vote), alone (in no cluster), or embedded (in
 *     this process)
 * @param status its answer; null if it did not answer
 * @param problem why it did not answer; null if it did
 */
public record ServedNode(
        String name,
        @Nullable String address,
        String role,
        @Nullable NodeStatus status,
        @Nullable String problem) {}
