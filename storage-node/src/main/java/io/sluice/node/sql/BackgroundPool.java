package io.sluice.node.sql;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a node that run statements in the background. Its queue has no bound of its own: sessions are bounded,
 * and so is what each of them has under way.
 */
final class BackgroundPool implements AutoCloseable {
    /** Threads that have had nothing to do for so long end; most nodes never see such a statement. */
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor threads;

    BackgroundPool(int size) {
        threads = new ThreadPoolExecutor(
                size, size, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "sluice-sql-background");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Runs tasks.
     *
     * @return an executor that refuses by {@link RejectedExecutionException} once the pool is closed
     */
    Executor executor() {
        return threads;
    }

    /** What has begun, and what waits, still runs. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
