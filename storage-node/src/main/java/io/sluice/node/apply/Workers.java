package io.sluice.node.apply;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A few threads; one of them alone is the caller's. What they have to do is bounded by whoever gives it to them. */
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

    /** Tasks under way. */
    interface Started {
        /** Waits for all, and throws what one of them threw. */
        void await();
    }

    /** Starts tasks; with one worker they have ended when this returns. */
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

    /** All of them end before anything is thrown: nobody works on what the caller then lets go. */
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

    /** Waits for a task, also when interrupted, and throws what it threw. */
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
