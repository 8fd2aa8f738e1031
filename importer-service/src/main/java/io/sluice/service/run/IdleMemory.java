package io.sluice.service.run;

import java.util.concurrent.TimeUnit;

/**
 * Returns memory to the operating system when the service becomes idle, by one garbage collection after each busy
 * period. Without allocations the collector never runs, and the heap stays at its size. Not thread-safe.
 */
final class IdleMemory {
    /** Idle time before the collection; longer than the gap between two jobs of a client that waits for each. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(3);

    private boolean owed;
    private long lastBusy;

    /**
     * Records whether jobs run; may run a garbage collection.
     *
     * @param now as {@link System#nanoTime}
     */
    void observe(boolean busy, long now) {
        if (busy) {
            owed = true;
            lastBusy = now;
        } else if (owed && now - lastBusy > QUIET_NANOS) {
            owed = false;
            System.gc();
        }
    }
}
