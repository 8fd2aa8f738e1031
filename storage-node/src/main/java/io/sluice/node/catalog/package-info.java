/**
 * What a store knows about itself, durable in the meta column family: tables, imports in progress, and drops that are
 * not finished. Every change is one atomic, synced write.
 */
@NullMarked
package io.sluice.node.catalog;

import org.jspecify.annotations.NullMarked;
