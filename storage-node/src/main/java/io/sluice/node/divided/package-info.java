/**
 * Tables that are divided over several nodes, from both sides: {@code DividedTables} coordinates transactions on them,
 * reading from one snapshot per node and committing in two phases; {@code Participation} holds a node's part of
 * transactions that others coordinate, and {@code Resolver} asks for decisions that do not come.
 */
@NullMarked
package io.sluice.node.divided;

import org.jspecify.annotations.NullMarked;
