/**
 * Step 9: the map of an LSM tree by sublevels, the choice of compactions, and their execution. {@code SublevelMap} and
 * {@code CompactionPicker} are pure: file metadata in, drawings and picks out. {@code Compactor} runs picks.
 */
@NullMarked
package io.sluice.engine.compact;

import org.jspecify.annotations.NullMarked;
