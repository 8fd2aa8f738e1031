/** The storage node of this process: its entry point, its settings, and the recovery of a store that is opened. */
@NullMarked
package io.sluice.node;

import org.jspecify.annotations.NullMarked;
