/**
 * Tables that are divided over several nodes, from both sides: {@code DividedTables} coordinates transactions on them,
 * reading from one snapshot per node and committing in two phases; {@code Participation} holds a node's branches of
 * transactions that others coordinate, and {@code Resolver} asks last agents for outcomes that do not come.
 */
@NullMarked
package io.sluice.node.divided;

import org.jspecify.annotations.NullMarked;
