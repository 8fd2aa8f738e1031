package io.sluice.service.run;

import java.util.concurrent.TimeUnit;

/**
 * Gives memory back to the machine when a service has become idle: one collection after each stretch of work, because
 * without allocations the collector never runs, and the heap stays as large as it was. Used by one thread.
 */
final class IdleMemory {
    /** Longer than the gap between two jobs of a client that waits for each. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(3);

    private boolean owed;
    private long lastBusy;

    /**
     * Notes whether jobs run; may take as long as a collection.
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
