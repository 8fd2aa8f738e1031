package io.sluice.service.run;

/**
 * Waiting for threads while closing, where an interruption cuts the waiting short and is kept for whoever comes next.
 */
final class Threads {
    private Threads() {}

    /** Waits for a thread to end, for so long at most. */
    static void join(Thread thread, long millis) {
        try {
            thread.join(Math.max(1, millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
