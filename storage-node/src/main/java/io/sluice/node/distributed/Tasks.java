package io.sluice.node.distributed;

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

/** Threads that ask several nodes at once. Who finds them all busy asks one node after the other. */
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
     * Does all at once, and waits for all.
     *
     * @throws RuntimeException what the first of them in their order failed with
     */
    void all(List<Runnable> work) {
        List<FutureTask<?>> tasks = new ArrayList<>();
        List<FutureTask<?>> here = new ArrayList<>();
        for (Runnable each : work) {
            FutureTask<?> task = new FutureTask<>(each, null);
            tasks.add(task);
            if (tasks.size() == 1 || !later(task)) {
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
                    // What is under way ends by itself, and must have.
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

    /** Does something some time; returns false when there is no room for it. */
    boolean later(Runnable work) {
        try {
            threads.execute(work);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Waits a little for what is under way. */
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
