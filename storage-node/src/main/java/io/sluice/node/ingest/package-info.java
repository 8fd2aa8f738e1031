/**
 * The node's side of an import: SSTs arrive, are checked and staged, enter the LSM tree in one step, and the table is
 * published; or all of it is undone.
 */
@NullMarked
package io.sluice.node.ingest;

import org.jspecify.annotations.NullMarked;
