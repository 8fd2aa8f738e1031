/**
 * The state that the nodes of a cluster share, in a replicated log by Apache Ratis (Raft) inside the nodes: members,
 * places of tables, publications, decisions about transactions, and jobs of import services. Rows do not pass through
 * it.
 *
 * <pre>
 *   node --cluster a,b,c
 *     |  the store has a log            start with it
 *     |  a listed node has a cluster    ask its leader to be added
 *     |  the first of the list, and all others answer that they have none: found the cluster, alone
 *     v
 *   Raft group --entries: changes--> ClusterState, the same on each node --members--> GET /v1/cluster
 *                                                                       --tables---> the node's catalog
 *                                                                       --decisions> the node's branches in doubt
 *                                                                       --jobs-----> GET /v1/cluster/jobs
 * </pre>
 *
 * <p>Five members vote, the others are listeners of Ratis: they learn. A listener takes the place of a voter that is
 * removed or lost.
 *
 * <p>A node's id in the group is the id of its store. A wiped store has another, as Raft requires: a voter that forgot
 * its vote must not come back under its old id.
 *
 * <h2>Format of the log's entries, version 1</h2>
 *
 * <p>An entry is one JSON object. Its members tell its kind:
 *
 * <pre>
 *   version     decimal number; absent: 1
 *   step        a {@link io.sluice.api.wire.JobsChange}: jobs of import services, or the lease on them
 *   decisions   a {@link io.sluice.sql.distributed.Decisions.Entry}: outcomes of transactions
 *   otherwise   a {@link io.sluice.api.wire.ClusterChange}: members, and places and states of tables
 * </pre>
 *
 * <p>A node stops at an entry of a later version, or with a member that it does not know, and serves no rows until it
 * is upgraded. A snapshot is the whole {@link ClusterState} as one JSON object. Lists that an earlier build did not
 * write count as empty; members that a node does not know are refused.
 */
@NullMarked
package io.sluice.node.cluster;

import org.jspecify.annotations.NullMarked;
