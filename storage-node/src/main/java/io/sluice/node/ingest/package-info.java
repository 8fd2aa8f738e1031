/**
 * Step 8, the node's side of an import. SSTs arrive, are verified and staged, and enter the LSM tree, all at the end or
 * each on arrival as admission allows. Small ones become Puts into a small-SST buffer. Then the table is published, or
 * the import is undone.
 */
@NullMarked
package io.sluice.node.ingest;

import org.jspecify.annotations.NullMarked;
