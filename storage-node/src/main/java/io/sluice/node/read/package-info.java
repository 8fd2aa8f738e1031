/** Rows and sums out of a table: point reads, scans in the order of an index, and the sweep that verifies every KV. */
@NullMarked
package io.sluice.node.read;

import org.jspecify.annotations.NullMarked;
