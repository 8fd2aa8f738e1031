/**
 * Transactions on tables that are distributed over several nodes. {@code DistributedTables} is the coordinator: it
 * reads from one snapshot per node and commits by two-phase commit. {@code ClusterSnapshot} reads tables of one moment.
 * {@code TransactionParticipant} holds this node's branches of transactions that other processes coordinate.
 * {@code Decisions} are the outcomes in the log of a cluster. {@code Resolver} ends branches in doubt by them, or asks
 * last agents.
 */
@NullMarked
package io.sluice.sql.distributed;

import org.jspecify.annotations.NullMarked;
