package io.sluice.importer.ship;

import io.sluice.api.error.NodeBusyException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.importer.sst.SstBuilder;
import io.sluice.importer.sst.SstCutter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Syncs SSTs to disk and hands them over to the node on threads of its own, so that workers do not wait for the disk.
 * At most a fixed number of SSTs, and of their bytes, is under way; who comes with one more waits. When one cannot be
 * delivered no other is begun, and who comes with one fails as that one did.
 */
public final class Shipper implements AutoCloseable {
    /** Eight SSTs of the usual size; what waits for a slow node is on disk, and this is how much of it at most. */
    private static final long MOST_BYTES = 512L << 20;

    /** The limiter that only people can do something about. */
    private static final String DISK = "disk";

    private final ImportSession session;
    private final SstCutter cutter;
    private final ExecutorService threads;
    private final Semaphore places;
    private final ByteGate room = new ByteGate(MOST_BYTES);
    private final Observer observer;
    private final long patienceNanos;
    /** When a node last took something from any thread. */
    private volatile long takenNanos = System.nanoTime();

    private volatile @Nullable RuntimeException failure;

    /** Told, on the shipper's threads, what becomes of SSTs. */
    public interface Observer {
        /** The node has put something off. */
        void deferred(ShipAnswer.Deferred answer);

        /** A node has taken something that had been put off. */
        void taken();

        /** An SST is complete. */
        void built(SstFile sst);

        /** The node has taken an SST, whole or cut in pieces. */
        void handedOver(SstFile sst);
    }

    /**
     * A shipper with so many threads, or two for each of several nodes, and room for one waiting SST for each.
     *
     * @param cutter for SSTs that turn out to lie in several ranges
     * @param patienceMillis how long nodes may put everything off, before that is a failure
     */
    public Shipper(ImportSession session, SstCutter cutter, int concurrency, Observer observer, long patienceMillis) {
        patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
        this.session = session;
        this.cutter = cutter;
        this.observer = observer;
        int atOnce = session instanceof NodeGroup group ? Math.max(concurrency, 2 * group.nodes()) : concurrency;
        places = new Semaphore(2 * atOnce);
        threads = Executors.newFixedThreadPool(atOnce, runnable -> {
            Thread thread = new Thread(runnable, "sluice-ship");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Finishes an SST in the background; the builder belongs to the shipper from now on. */
    public CompletableFuture<SstFile> finish(SstBuilder builder) throws InterruptedException {
        return inBackground(builder.bytes(), () -> finishNow(builder));
    }

    /** Finishes an SST and hands it over in the background; the builder belongs to the shipper from now on. */
    public CompletableFuture<SstFile> finishAndShip(SstBuilder builder) throws InterruptedException {
        return inBackground(builder.bytes(), () -> handOver(finishNow(builder)));
    }

    private SstFile finishNow(SstBuilder builder) {
        try (builder) {
            failIfOthersDid();
            SstFile sst = builder.finish();
            observer.built(sst);
            return sst;
        } catch (IOException e) {
            throw new OperationFailedException("an SST could not be written: " + e.getMessage(), e);
        }
    }

    /** Hands a finished SST over to the node in the background. */
    public CompletableFuture<SstFile> ship(SstFile sst) throws InterruptedException {
        return inBackground(sst.fileBytes(), () -> handOver(sst));
    }

    private SstFile handOver(SstFile sst) {
        deliver(sst);
        observer.handedOver(sst);
        return sst;
    }

    private void deliver(SstFile sst) {
        long epoch = session.directory().epoch();
        while (true) {
            long cutFor = epoch;
            ShipAnswer.Moved moved = untilTaken("an SST", () -> session.ship(sst, cutFor));
            if (moved == null) {
                return;
            }
            RangeDirectory now = moved.directory();
            if (SstCutter.cuts(sst, now.cuts())) {
                pieces(sst, now).forEach(this::deliver);
                return;
            }
            if (now.epoch() <= epoch) {
                throw new OperationFailedException("an SST was cut for epoch " + epoch
                        + " of the division of keys among nodes, but a node knows epoch " + now.epoch() + " only");
            }
            epoch = now.epoch();
        }
    }

    /** A way for batches of KVs, on this shipper's threads; with so many of them in memory. */
    public BatchShipper forBatches(int batches) {
        return new BatchShipper(session, this::untilTaken, threads, batches);
    }

    /**
     * Offers something until the node takes it, and then returns null, or says that its keys have moved. How often is
     * the node's affair: it says when to come again.
     *
     * @throws NodeBusyException when the node put it off for too long, and nodes took nothing else meanwhile either
     */
    private ShipAnswer.@Nullable Moved untilTaken(String what, Supplier<ShipAnswer> offer) {
        long start = System.nanoTime();
        boolean wasDeferred = false;
        while (true) {
            failIfOthersDid();
            ShipAnswer answer = offer.get();
            if (answer instanceof ShipAnswer.Taken) {
                takenNanos = System.nanoTime();
                if (wasDeferred) {
                    observer.taken();
                }
                return null;
            }
            if (answer instanceof ShipAnswer.Refused refused) {
                String why = "the node refused " + what + ": " + refused.reason();
                throw refused.limiter().equals(DISK) ? new NodeBusyException(why) : new OperationFailedException(why);
            }
            if (answer instanceof ShipAnswer.Moved moved) {
                return moved;
            }
            if (answer instanceof ShipAnswer.Deferred deferred) {
                wasDeferred = true;
                observer.deferred(deferred);
                long now = System.nanoTime();
                if (now - start > patienceNanos && now - takenNanos > patienceNanos) {
                    throw new NodeBusyException("nothing was taken for "
                            + TimeUnit.NANOSECONDS.toSeconds(now - takenNanos) + " s; " + what + " waits for "
                            + deferred.limiter()
                            + (deferred.limiter().endsWith(DISK) ? ": make room on the node's disk" : ""));
                }
                pause(deferred.afterMillis());
            }
        }
    }

    private List<SstFile> pieces(SstFile sst, RangeDirectory directory) {
        try {
            return cutter.cut(sst, directory.cuts());
        } catch (IOException e) {
            throw new OperationFailedException("an SST could not be cut: " + e.getMessage(), e);
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

    private CompletableFuture<SstFile> inBackground(long bytes, Supplier<SstFile> work) throws InterruptedException {
        failIfOthersDid();
        room.enter(bytes);
        places.acquire();
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return work.get();
                    } catch (RuntimeException e) {
                        failure = e;
                        throw e;
                    } finally {
                        places.release();
                        room.leave(bytes);
                    }
                },
                threads);
    }

    private void failIfOthersDid() {
        RuntimeException other = failure;
        if (other != null) {
            throw other;
        }
    }

    /** Waits for SSTs; throws what the first one of them failed with. */
    public static List<SstFile> await(List<CompletableFuture<SstFile>> underWay) throws InterruptedException {
        List<SstFile> done = new ArrayList<>();
        for (CompletableFuture<SstFile> future : underWay) {
            done.add(await(future));
        }
        return done;
    }

    /** Waits for an SST; throws what it failed with. */
    public static SstFile await(CompletableFuture<SstFile> underWay) throws InterruptedException {
        try {
            return underWay.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    /**
     * Gives up on what is under way, by interrupting it, and on what waits. What was not handed over by then fails and
     * holds no file or memory any more; {@link #close} waits until that is so.
     */
    public void stop() {
        if (failure == null) {
            failure = new OperationFailedException("the import is being stopped");
        }
        // Whoever waits for one of these must learn that it will not come, and its builder must be closed.
        threads.shutdownNow().forEach(Runnable::run);
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
