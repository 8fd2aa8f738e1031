package io.sluice.http;

import io.sluice.model.thread.Daemons;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The thread pools of a server for blocking work. Separate pools keep slow requests from delaying quick ones. All
 * queues are bounded: a full one throws {@code RejectedExecutionException}, which becomes a 503. Only the threads that
 * set up and close the server call this class.
 */
public final class Pools {
    /** The treatment of a pool's tasks when the server closes. */
    public enum AtEnd {
        /** The server waits for the tasks up to a timeout, because they use resources that are closed after it. */
        AWAITED,
        /** The server does not wait; closing the used resource ends the tasks. */
        LEFT
    }

    private static final long IDLE_SECONDS = 60;
    private static final long CLOSE_SECONDS = 30;

    private record Pool(ThreadPoolExecutor threads, AtEnd end) {}

    private final String server;
    private final List<Pool> pools = new ArrayList<>();

    /** @param server prefix of the threads' names */
    Pools(String server) {
        this.server = server;
    }

    /**
     * Adds a pool that is closed with the server.
     *
     * @param name one word for its work, used in thread names
     * @param threads number of threads
     * @param waiting length of the queue
     */
    public Executor add(String name, int threads, int waiting, AtEnd end) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(waiting),
                task -> Daemons.thread(server + "-" + name + "-" + number.incrementAndGet(), task));
        pool.allowCoreThreadTimeOut(true);
        pools.add(new Pool(pool, end));
        return pool;
    }

    /** Rejects new tasks, and waits for running tasks of {@link AtEnd#AWAITED} pools. */
    void close() {
        pools.forEach(pool -> pool.threads().shutdown());
        try {
            for (Pool pool : pools) {
                if (pool.end() == AtEnd.AWAITED) {
                    boolean unused = pool.threads().awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
