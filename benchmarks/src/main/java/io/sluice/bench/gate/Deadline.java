package io.sluice.bench.gate;

import java.util.concurrent.TimeUnit;

/** Waiting that ends at a deadline. */
final class Deadline {
    private final long endNanos;

    Deadline(long seconds) {
        endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    /** The deadline has passed. */
    static final class OverException extends RuntimeException {
        private static final long serialVersionUID = 1;

        OverException() {
            super("the time is up");
        }
    }

    void sleep(long millis) {
        check();
        pause(millis);
        check();
    }

    void check() {
        if (System.nanoTime() - endNanos > 0) {
            throw new OverException();
        }
    }

    /** Sleeps; an interruption ends the experiment. */
    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
