/**
 * Transactions on tables that are distributed over several nodes. {@code DistributedTables} is the coordinator: it
 * reads from one snapshot per node and commits by two-phase commit. {@code TransactionParticipant} holds this node's
 * branches of transactions that other processes coordinate. {@code Resolver} asks last agents for the outcomes of
 * branches in doubt.
 */
@NullMarked
package io.sluice.sql.distributed;

import org.jspecify.annotations.NullMarked;
