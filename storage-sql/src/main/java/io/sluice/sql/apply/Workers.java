package io.sluice.sql.apply;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * A thread pool for one run over a log. With one worker, tasks run on the caller's thread. The queue has no limit: the
 * caller limits the tasks.
 */
final class Workers implements AutoCloseable {
    private final int count;
    private final @Nullable ExecutorService threads;

    Workers(int count) {
        this.count = count;
        threads = count == 1
                ? null
                : Executors.newFixedThreadPool(count, task -> {
                    Thread thread = new Thread(task, "sluice-apply");
                    thread.setDaemon(true);
                    return thread;
                });
    }

    int count() {
        return count;
    }

    /** Handle to started tasks. */
    interface Started {
        /** Waits for all tasks, then throws the first failure. */
        void await();
    }

    /** Starts tasks. With one worker they have ended when this returns. */
    Started start(List<Runnable> tasks) {
        if (threads == null) {
            tasks.forEach(Runnable::run);
            return () -> {};
        }
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        for (Runnable task : tasks) {
            futures.add(CompletableFuture.runAsync(task, threads));
        }
        return () -> awaitAll(futures);
    }

    /** Waits for all tasks before it throws, because they use resources that the caller then releases. */
    private static void awaitAll(List<CompletableFuture<Void>> futures) {
        RuntimeException failure = null;
        for (CompletableFuture<Void> future : futures) {
            try {
                await(future);
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Waits for a task uninterruptibly, and rethrows its failure. */
    static void await(CompletableFuture<Void> task) {
        try {
            task.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        }
    }

    @Override
    public void close() {
        if (threads != null) {
            threads.shutdown();
        }
    }
}
