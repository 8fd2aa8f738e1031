package io.sluice.service.run;

import io.sluice.model.thread.Daemons;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Makes executors of daemon threads, and waits for threads during close. An interrupt ends the wait, and the thread's
 * interrupt flag stays set.
 */
final class Threads {
    private Threads() {}

    /** Creates a single-threaded scheduler with a daemon thread. */
    static ScheduledExecutorService scheduled(String name) {
        return scheduled(name, 1);
    }

    /** Creates a scheduler with some daemon threads. */
    static ScheduledExecutorService scheduled(String name, int threads) {
        return Executors.newScheduledThreadPool(threads, Daemons.named(name));
    }

    /** Creates an executor with so many daemon threads. It rejects a task if so many others wait already. */
    static ExecutorService bounded(String name, int threads, int waiting) {
        return new ThreadPoolExecutor(
                threads, threads, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(waiting), Daemons.named(name));
    }

    /** Waits at most {@code millis} for an executor that was shut down. */
    static void await(ExecutorService executor, long millis) {
        try {
            boolean unused = executor.awaitTermination(Math.max(1, millis), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits at most {@code millis} for a thread to end. */
    static void join(Thread thread, long millis) {
        try {
            thread.join(Math.max(1, millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
