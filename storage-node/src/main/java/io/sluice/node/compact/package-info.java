/**
 * Step 9: what an LSM tree looks like by sublevels, which merge relieves it best, and the merging. {@code SublevelMap}
 * and {@code CompactionPicker} are pure: file metadata in, drawings and picks out. {@code Compactor} carries picks out.
 */
@NullMarked
package io.sluice.node.compact;

import org.jspecify.annotations.NullMarked;
