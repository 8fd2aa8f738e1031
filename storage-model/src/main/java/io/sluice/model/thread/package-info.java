/** Waits before retries, interrupts, and daemon threads. */
@NullMarked
package io.sluice.model.thread;

import org.jspecify.annotations.NullMarked;
