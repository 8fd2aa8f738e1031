package io.sluice.sql.apply;

import io.sluice.sql.transaction.Durability;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Syncs one commit in the background while the next batch is written. Not thread-safe; the caller closes it. */
final class DeferredSync implements AutoCloseable {
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread worker = new Thread(task, "sluice-apply-sync");
        worker.setDaemon(true);
        return worker;
    });
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

    /** Waits until the previous commit is durable, then starts to sync this one. */
    void begin(Durability commit) {
        await();
        last = CompletableFuture.runAsync(commit::await, thread);
    }

    /**
     * Waits until all commits are durable.
     *
     * @throws io.sluice.model.error.OperationFailedException if a sync failed
     */
    void await() {
        Workers.await(last);
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
