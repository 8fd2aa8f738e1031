package io.sluice.sql.distributed;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Thread pool for parallel requests to several nodes. If all threads are busy, the caller runs its requests itself. */
final class Tasks implements AutoCloseable {
    private static final int THREADS = 32;
    private static final int WAITING = 4096;
    private static final long IDLE_SECONDS = 10;
    private static final long CLOSE_SECONDS = 5;

    private final ThreadPoolExecutor threads;

    Tasks() {
        threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING), task -> {
                    Thread thread = new Thread(task, "sluice-nodes");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Runs all tasks in parallel and waits for all.
     *
     * @throws RuntimeException the failure of the first failed task in list order
     */
    void runAll(List<Runnable> work) {
        List<FutureTask<?>> tasks = new ArrayList<>();
        List<FutureTask<?>> here = new ArrayList<>();
        for (Runnable each : work) {
            FutureTask<?> task = new FutureTask<>(each, null);
            tasks.add(task);
            if (tasks.size() == 1 || !submit(task)) {
                here.add(task);
            }
        }
        here.forEach(FutureTask::run);
        RuntimeException first = null;
        for (FutureTask<?> task : tasks) {
            RuntimeException failure = failure(task);
            if (first == null) {
                first = failure;
            } else if (failure != null) {
                first.addSuppressed(failure);
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private static @Nullable RuntimeException failure(Future<?> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    task.get();
                    return null;
                } catch (InterruptedException e) {
                    // Keep waiting: the caller must not return before the request has ended.
                    interrupted = true;
                } catch (ExecutionException e) {
                    return e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Runs a task in the background; returns false if the queue is full. */
    boolean submit(Runnable work) {
        try {
            threads.execute(work);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Waits up to {@value #CLOSE_SECONDS} s for tasks in progress. */
    @Override
    public void close() {
        threads.shutdown();
        try {
            boolean unused = threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
