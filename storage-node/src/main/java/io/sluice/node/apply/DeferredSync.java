package io.sluice.node.apply;

import io.sluice.node.transaction.Durability;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Waits for the disk while the next batch is written, for one commit at a time. For one thread; close it. */
final class DeferredSync implements AutoCloseable {
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread made = new Thread(task, "sluice-apply-sync");
        made.setDaemon(true);
        return made;
    });
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

    /** Begins to make a commit durable, when the one before is. */
    void begin(Durability commit) {
        await();
        last = CompletableFuture.runAsync(commit::await, thread);
    }

    /**
     * Waits until all commits are durable.
     *
     * @throws io.sluice.api.error.OperationFailedException when they are not known to be
     */
    void await() {
        Workers.await(last);
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
