package io.sluice.importer.ship;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.importer.sst.SstBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Syncs SSTs to disk and hands them over to the node on threads of its own, so that workers do not wait for the disk.
 * At most a fixed number of SSTs is under way; who comes with one more waits.
 */
public final class Shipper implements AutoCloseable {
    private final ImportSession session;
    private final ExecutorService threads;
    private final Semaphore places;
    private final Consumer<ShipAnswer.Deferred> onDeferred;

    /**
     * A shipper with so many threads, and room for one waiting SST for each.
     *
     * @param onDeferred told, on one of the threads, whenever the node defers an SST
     */
    public Shipper(ImportSession session, int concurrency, Consumer<ShipAnswer.Deferred> onDeferred) {
        this.session = session;
        this.onDeferred = onDeferred;
        places = new Semaphore(2 * concurrency);
        threads = Executors.newFixedThreadPool(concurrency, runnable -> {
            Thread thread = new Thread(runnable, "sluice-ship");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Finishes an SST in the background; the builder belongs to the shipper from now on. */
    public CompletableFuture<SstFile> finish(SstBuilder builder) throws InterruptedException {
        return inBackground(() -> finishNow(builder));
    }

    /** Finishes an SST and hands it over in the background; the builder belongs to the shipper from now on. */
    public CompletableFuture<SstFile> finishAndShip(SstBuilder builder) throws InterruptedException {
        return inBackground(() -> deliver(finishNow(builder)));
    }

    private static SstFile finishNow(SstBuilder builder) {
        try (builder) {
            return builder.finish();
        } catch (IOException e) {
            throw new OperationFailedException("an SST could not be written: " + e.getMessage(), e);
        }
    }

    /** Hands a finished SST over to the node in the background. */
    public CompletableFuture<SstFile> ship(SstFile sst) throws InterruptedException {
        return inBackground(() -> deliver(sst));
    }

    /** Offers an SST until the node takes it. How often is the node's affair: it says when to come again. */
    private SstFile deliver(SstFile sst) {
        while (true) {
            ShipAnswer answer = session.ship(sst);
            if (answer instanceof ShipAnswer.Taken) {
                return sst;
            }
            if (answer instanceof ShipAnswer.Refused refused) {
                throw new OperationFailedException("the node refused an SST: " + refused.reason());
            }
            if (answer instanceof ShipAnswer.Moved) {
                throw new OperationFailedException(
                        "the node divides the table's keys, which this import does not know");
            }
            if (answer instanceof ShipAnswer.Deferred deferred) {
                onDeferred.accept(deferred);
                pause(deferred.afterMillis());
            }
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("the import was interrupted while an SST waited for the node", e);
        }
    }

    private CompletableFuture<SstFile> inBackground(Supplier<SstFile> work) throws InterruptedException {
        places.acquire();
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return work.get();
                    } finally {
                        places.release();
                    }
                },
                threads);
    }

    /** Waits for SSTs; throws what the first one of them failed with. */
    public static List<SstFile> await(List<CompletableFuture<SstFile>> underWay) {
        List<SstFile> done = new ArrayList<>();
        underWay.forEach(future -> done.add(await(future)));
        return done;
    }

    /** Waits for an SST; throws what it failed with. */
    public static SstFile await(CompletableFuture<SstFile> underWay) {
        try {
            return underWay.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** Waits until nothing is under way any more. */
    @Override
    public void close() {
        threads.shutdown();
        boolean interrupted = false;
        while (true) {
            try {
                if (threads.awaitTermination(1, TimeUnit.MINUTES)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
