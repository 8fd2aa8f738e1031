/**
 * The catalog of a store, durable in the meta column family: tables, imports in progress, and unfinished drops. Every
 * change is one atomic, synced write.
 */
@NullMarked
package io.sluice.node.catalog;

import org.jspecify.annotations.NullMarked;
