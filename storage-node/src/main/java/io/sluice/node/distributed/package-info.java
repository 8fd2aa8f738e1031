/**
 * Tables that are divided over several nodes, from both sides: {@code DistributedTables} coordinates transactions on
 * them, reading from one snapshot per node and committing in two phases; {@code TransactionParticipant} holds a node's
 * branches of transactions that others coordinate, and {@code Resolver} asks last agents for outcomes that do not come.
 */
@NullMarked
package io.sluice.node.distributed;

import org.jspecify.annotations.NullMarked;
