package io.sluice.node.http;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that do what may block, in three pools, so that what takes long does not keep out what is quick. None has
 * an unbounded queue; who finds no room gets a {@code RejectedExecutionException}, which becomes a 503.
 *
 * @param requests what is quick
 * @param bodies writes what arrives to disk and takes it in; it has a thread and a place for every upload, and each
 *     upload has one task at most in it, so it never rejects
 * @param steps settling, digests: minutes
 */
record Pools(ThreadPoolExecutor requests, ThreadPoolExecutor bodies, ThreadPoolExecutor steps)
        implements AutoCloseable {
    private static final int REQUEST_THREADS = 16;
    /** A digest reads with several threads of its own. */
    private static final int STEP_THREADS = 4;

    private static final int WAITING_STEPS = 32;
    private static final long IDLE_SECONDS = 60;
    private static final long CLOSE_SECONDS = 30;

    static Pools of(HttpLimits limits) {
        return new Pools(
                pool("request", REQUEST_THREADS, limits.waitingRequests()),
                pool("body", limits.uploads(), limits.uploads()),
                pool("step", STEP_THREADS, WAITING_STEPS));
    }

    private static ThreadPoolExecutor pool(String name, int threads, int waiting) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(waiting), task -> {
                    Thread thread = new Thread(task, "node-" + name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Takes nothing more, and waits for what is under way, but not for long steps: those end with the node. */
    @Override
    public void close() {
        requests.shutdown();
        bodies.shutdown();
        steps.shutdown();
        try {
            requests.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            bodies.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
