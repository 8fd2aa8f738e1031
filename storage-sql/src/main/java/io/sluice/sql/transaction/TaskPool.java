package io.sluice.sql.transaction;

import io.sluice.model.thread.Daemons;
import io.sluice.model.thread.Interrupts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A pool of daemon threads, which end when they are idle. Thread-safe. */
public final class TaskPool implements AutoCloseable {
    private static final long IDLE_SECONDS = 10;

    private final @Nullable ThreadPoolExecutor threads;
    private final int count;

    /**
     * Creates a pool.
     *
     * @param count number of threads; 0 if all tasks run on the caller's thread
     * @param queued limit of tasks that wait for a thread
     */
    public TaskPool(String name, int count, int queued) {
        this.count = count;
        threads = count == 0 ? null : threads(name, count, new LinkedBlockingQueue<>(queued));
    }

    private static ThreadPoolExecutor threads(String name, int count, BlockingQueue<Runnable> queue) {
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(count, count, IDLE_SECONDS, TimeUnit.SECONDS, queue, Daemons.named(name));
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Number of tasks that run at the same time, at least 1. */
    public int parallel() {
        return Math.max(1, count);
    }

    /** Tasks that were started together. */
    public record Started(List<FutureTask<?>> tasks) {
        /** No tasks. */
        public static final Started NONE = new Started(List.of());

        /**
         * Waits for all tasks uninterruptibly, because they use resources that the caller then releases.
         *
         * @throws RuntimeException the failure of the first failed task in list order
         */
        public void await() {
            RuntimeException first = null;
            for (FutureTask<?> task : tasks) {
                RuntimeException failure = failure(task);
                if (first == null) {
                    first = failure;
                } else if (failure != null && failure != first) {
                    first.addSuppressed(failure);
                }
            }
            if (first != null) {
                throw first;
            }
        }

        private static @Nullable RuntimeException failure(FutureTask<?> task) {
            try {
                Interrupts.outlast(task::get);
                return null;
            } catch (ExecutionException e) {
                return e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e);
            }
        }
    }

    /** Starts tasks. Those that find the queue full have ended when this returns: the caller runs them. */
    public Started start(List<Runnable> work) {
        return start(work, 0);
    }

    /**
     * Runs all tasks in parallel, the first on the caller's thread, and waits for all; see {@link Started#await}. The
     * caller then runs those that no thread has begun, so that a task may call this, too.
     */
    public void runAll(List<Runnable> work) {
        Started started = start(work, 1);
        started.tasks().forEach(FutureTask::run);
        started.await();
    }

    private Started start(List<Runnable> work, int onCaller) {
        List<FutureTask<?>> tasks = new ArrayList<>();
        List<FutureTask<?>> here = new ArrayList<>();
        for (Runnable each : work) {
            FutureTask<?> task = new FutureTask<>(each, null);
            if (tasks.size() < onCaller || !submit(task)) {
                here.add(task);
            }
            tasks.add(task);
        }
        here.forEach(FutureTask::run);
        return new Started(tasks);
    }

    /** Runs a task in the background; returns false if the queue is full or the pool is closed. */
    public boolean submit(Runnable work) {
        if (threads == null) {
            return false;
        }
        try {
            threads.execute(work);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Accepts no more tasks; running and queued tasks still run. */
    @Override
    public void close() {
        if (threads != null) {
            threads.shutdown();
        }
    }

    /** Closes the pool, and waits a limited time for its tasks. */
    public void close(long seconds) {
        close();
        try {
            boolean unused = threads == null || threads.awaitTermination(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
