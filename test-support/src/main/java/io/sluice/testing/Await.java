package io.sluice.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Waits for the work of other threads, processes and nodes. */
public final class Await {
    /** Far more than any awaited work takes on a busy machine. */
    private static final long PATIENCE_SECONDS = 120;

    private static final long POLL_MILLIS = 10;

    private Await() {}

    /**
     * Waits until a condition holds; fails after two minutes.
     *
     * @param otherwise what the failure says
     */
    public static void until(Callable<Boolean> condition, Callable<String> otherwise) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.call()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("after " + PATIENCE_SECONDS + " s: " + otherwise.call());
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }
}
