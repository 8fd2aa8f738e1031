/**
 * Reads of tables: point reads, scans in the order of an index, and the sweep that verifies every KV and computes
 * checksums.
 */
@NullMarked
package io.sluice.node.read;

import org.jspecify.annotations.NullMarked;
