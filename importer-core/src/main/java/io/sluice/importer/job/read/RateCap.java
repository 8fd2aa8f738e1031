package io.sluice.importer.job.read;

import java.util.function.BooleanSupplier;

/**
 * Limits the bytes per second of all workers together: a token bucket with reservations. A caller reserves tokens and
 * waits until they exist, so the bytes that passed never exceed the rate times the time elapsed. Usable by several
 * threads.
 */
public final class RateCap {
    /** A waiting caller checks this often whether it is cancelled. */
    private static final long SLICE_NANOS = 100_000_000;

    private static final double NANOS_PER_SECOND = 1e9;

    private final long bytesPerSecond;
    /** The time when all reserved tokens exist. */
    private long reservedUntilNanos = System.nanoTime();

    /**
     * Creates a limit.
     *
     * @param bytesPerSecond the limit; 0: no limit
     */
    public RateCap(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Whether there is no limit. */
    boolean unlimited() {
        return bytesPerSecond == 0;
    }

    /**
     * Waits until {@code bytes} may pass.
     *
     * @param cancelled whether to stop waiting; called ten times a second
     */
    public void take(long bytes, BooleanSupplier cancelled) throws InterruptedException {
        if (unlimited() || bytes <= 0) {
            return;
        }
        long until = reserve(bytes);
        for (long left = until - System.nanoTime(); left > 0 && !cancelled.getAsBoolean(); ) {
            // A millisecond more, to save wake-ups that come too early.
            Thread.sleep(1 + Math.min(left, SLICE_NANOS) / 1_000_000);
            left = until - System.nanoTime();
        }
    }

    private synchronized long reserve(long bytes) {
        long now = System.nanoTime();
        if (reservedUntilNanos - now < 0) {
            // Unused tokens expire.
            reservedUntilNanos = now;
        }
        reservedUntilNanos += (long) Math.min(Long.MAX_VALUE / 4.0, bytes * (NANOS_PER_SECOND / bytesPerSecond));
        return reservedUntilNanos;
    }
}
