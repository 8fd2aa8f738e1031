/**
 * The membership of nodes in a cluster: a replicated log by Apache Ratis (Raft) inside the nodes. Data does not pass
 * through it.
 *
 * <pre>
 *   node --cluster a,b,c
 *     |  the store has a log            start with it
 *     |  a listed node has a cluster    ask its leader to be added
 *     |  the first of the list, and all others answer that they have none: found the cluster, alone
 *     v
 *   Raft group --entries: changes--> ClusterState, the same on each node --members--> GET /v1/cluster
 *                                                                       --tables---> the node's catalog
 *                                                                       --jobs-----> GET /v1/cluster/jobs
 * </pre>
 *
 * <p>Five members vote, the others are listeners of Ratis: they learn. A listener takes the place of a voter that is
 * removed or lost.
 *
 * <p>A node's id in the group is the id of its store. A wiped store has another, as Raft requires: a voter that forgot
 * its vote must not come back under its old id.
 */
@NullMarked
package io.sluice.node.cluster;

import org.jspecify.annotations.NullMarked;
