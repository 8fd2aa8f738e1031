package io.sluice.sql;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Thread pool of a node for background statements. Its queue needs no limit: the sessions and the pending statements of
 * each are limited.
 */
final class BackgroundPool implements AutoCloseable {
    /** Idle threads end after this time; most nodes never run such statements. */
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
     * Returns the executor of the pool.
     *
     * @return throws {@link RejectedExecutionException} after the pool is closed
     */
    Executor executor() {
        return threads;
    }

    /** Accepts no more tasks; running and queued tasks still run. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
