package io.sluice.service.run;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Waiting for threads while closing, where an interruption cuts the waiting short and is kept for whoever comes next.
 */
final class Threads {
    private Threads() {}

    /** One thread for tasks that are due at some time; it does not keep the process alive. */
    static ScheduledExecutorService scheduled(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Waits for an executor that was shut down, for so long at most. */
    static void await(ExecutorService executor, long millis) {
        try {
            boolean unused = executor.awaitTermination(Math.max(1, millis), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for a thread to end, for so long at most. */
    static void join(Thread thread, long millis) {
        try {
            thread.join(Math.max(1, millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
