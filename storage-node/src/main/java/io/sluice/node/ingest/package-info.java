/**
 * Step 8, the node's side of an import: SSTs arrive, are checked and staged, and enter the LSM tree, all at the end or
 * each as it comes and as admission allows; small ones become Puts into a landing column family. Then the table is
 * published, or all of it is undone.
 */
@NullMarked
package io.sluice.node.ingest;

import org.jspecify.annotations.NullMarked;
