package io.sluice.importer.source;

import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.thread.Daemons;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Applies a function to many items in parallel, and collects all results and problems in the order of the items. */
public final class Parallel {
    private Parallel() {}

    /**
     * The result for one item.
     *
     * @param results the results; empty after a problem
     * @param problem the problem, or null
     */
    public record Found<R>(List<R> results, @Nullable SluiceException problem) {}

    /**
     * Applies {@code work} to every item, on {@code threads} threads.
     *
     * @throws OperationFailedException when the thread is interrupted
     */
    public static <T, R> List<Found<R>> map(List<T> items, int threads, Function<T, List<R>> work) {
        if (items.isEmpty()) {
            return List.of();
        }
        ExecutorService pool =
                Executors.newFixedThreadPool(Math.min(threads, items.size()), Daemons.named("sluice-look"));
        try {
            List<Future<Found<R>>> futures = new ArrayList<>();
            for (T item : items) {
                futures.add(pool.submit(() -> one(item, work)));
            }
            List<Found<R>> all = new ArrayList<>();
            for (Future<Found<R>> future : futures) {
                all.add(future.get());
            }
            return all;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted while checking the inputs", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    private static <T, R> Found<R> one(T item, Function<T, List<R>> work) {
        try {
            return new Found<>(work.apply(item), null);
        } catch (SluiceException e) {
            return new Found<>(List.of(), e);
        }
    }
}
