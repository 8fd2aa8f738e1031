package io.sluice.importer.job;

import java.util.function.BooleanSupplier;

/**
 * Lets so many bytes a second through, of all workers together: a token bucket of one moment's tokens, in which those
 * who come later wait for tokens that are made later. Whoever takes some waits until they are made, so that bytes that
 * went through never exceed the time that has passed. Usable by several threads.
 */
final class RateCap {
    /** Nobody waits longer than this without a look at whether that is still wanted. */
    private static final long SLICE_NANOS = 100_000_000;

    private static final double NANOS_PER_SECOND = 1e9;

    private final long bytesPerSecond;
    /** When all tokens that were promised so far are made. */
    private long promisedUntilNanos = System.nanoTime();

    /**
     * A cap.
     *
     * @param bytesPerSecond 0: there is none
     */
    RateCap(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Whether nobody ever waits. */
    boolean unlimited() {
        return bytesPerSecond == 0;
    }

    /**
     * Waits until so many bytes may go through.
     *
     * @param inVain whether nobody wants them any more; asked ten times a second
     */
    void take(long bytes, BooleanSupplier inVain) throws InterruptedException {
        if (unlimited() || bytes <= 0) {
            return;
        }
        long until = promise(bytes);
        for (long left = until - System.nanoTime(); left > 0 && !inVain.getAsBoolean(); ) {
            // A millisecond more: sleeping shorter than that is waking for nothing.
            Thread.sleep(1 + Math.min(left, SLICE_NANOS) / 1_000_000);
            left = until - System.nanoTime();
        }
    }

    private synchronized long promise(long bytes) {
        long now = System.nanoTime();
        if (promisedUntilNanos - now < 0) {
            // Tokens that nobody came for are not kept.
            promisedUntilNanos = now;
        }
        promisedUntilNanos += (long) Math.min(Long.MAX_VALUE / 4.0, bytes * (NANOS_PER_SECOND / bytesPerSecond));
        return promisedUntilNanos;
    }
}
