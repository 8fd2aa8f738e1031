package io.sluice.http;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of a server that do what may block, in several pools, so that what takes long does not keep out what is
 * quick. None has an unbounded queue; who finds no room gets a {@code RejectedExecutionException}, which becomes a 503.
 * Used by the thread that sets the server up, and by the one that closes it.
 */
public final class Pools {
    /** What becomes of a pool's work when the server closes. */
    public enum AtEnd {
        /** It is waited for, for a while: it touches what is closed after the server. */
        AWAITED,
        /** It is left to itself: what it works on will end it. */
        LEFT
    }

    private static final long IDLE_SECONDS = 60;
    private static final long CLOSE_SECONDS = 30;

    private record Pool(ThreadPoolExecutor threads, AtEnd end) {}

    private final String server;
    private final List<Pool> pools = new ArrayList<>();

    /** @param server what the names of all threads begin with */
    Pools(String server) {
        this.server = server;
    }

    /**
     * A pool of the server's own, which is closed with it.
     *
     * @param name what is done in it, in one word
     * @param threads how many tasks it does at a time
     * @param waiting how many more it takes
     */
    public Executor add(String name, int threads, int waiting, AtEnd end) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(waiting), task -> {
                    Thread thread = new Thread(task, server + "-" + name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        pools.add(new Pool(pool, end));
        return pool;
    }

    /** Takes nothing more, and waits for what is under way and to be waited for. */
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
