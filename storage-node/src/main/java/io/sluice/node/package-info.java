/** A storage node inside this process: the entry point, its settings, and what opening a store recovers. */
@NullMarked
package io.sluice.node;

import org.jspecify.annotations.NullMarked;
