package io.sluice.importer.ship;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstBytes;
import io.sluice.api.node.SstFile;
import io.sluice.importer.sst.SstBuilder;
import io.sluice.importer.sst.SstCutter;
import io.sluice.model.error.NodeBusyException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finishes SSTs and hands them over to the node on threads of its own, so that workers wait neither for disk nor
 * network. It bounds the number and the bytes of SSTs under way; a caller waits while the bound is reached. After a
 * failed delivery no other one starts, and callers get the same failure.
 */
public final class Shipper implements AutoCloseable {
    /** Most bytes under way, on disk: eight SSTs of the usual size, rounded up. */
    public static final long MOST_BYTES = 512L << 20;

    /** Longest time until a waiting caller sees a failure. */
    private static final long LOOK_FOR_FAILURE_MILLIS = 100;

    /** The limiter that only an operator can remove. */
    private static final String DISK = "disk";

    /** SSTs that nodes did not read from their object store until none is offered there: one may be an accident. */
    private static final int MOST_NOT_READ = 8;

    private final ImportSession session;
    private final SstCutter cutter;
    private final AtomicInteger notRead = new AtomicInteger();
    private final ExecutorService threads;
    private final int mostUnderWay;
    private final Semaphore places;
    private final ByteGate room;
    private final Observer observer;
    private final long patienceNanos;
    /** The time when a node last took an SST or a batch from any thread. */
    private volatile long takenNanos = System.nanoTime();

    private volatile @Nullable RuntimeException failure;

    /** Listener to the fate of SSTs; called on the shipper's threads. */
    public interface Observer {
        /** The node has deferred an SST or a batch. */
        void deferred(ShipAnswer.Deferred answer);

        /** A node has taken a deferred SST or batch. */
        void taken();

        /** An SST is complete. */
        void built(SstFile sst);

        /** The node has taken an SST, whole or cut into several. */
        void handedOver(SstFile sst);
    }

    /**
     * Creates a shipper with {@code concurrency} threads, or two per node if these are more, and room for one waiting
     * SST per thread.
     *
     * @param cutter cuts SSTs that lie in several ranges
     * @param bytesUnderWay most bytes of SSTs under way, up to {@link #MOST_BYTES}
     * @param patienceMillis how long nodes may defer everything before the import fails
     */
    public Shipper(
            ImportSession session,
            SstCutter cutter,
            int concurrency,
            long bytesUnderWay,
            Observer observer,
            long patienceMillis) {
        room = new ByteGate(Math.min(MOST_BYTES, bytesUnderWay));
        patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
        this.session = session;
        this.cutter = cutter;
        this.observer = observer;
        int atOnce = session.nodes() > 1 ? Math.max(concurrency, 2 * session.nodes()) : concurrency;
        mostUnderWay = 2 * atOnce;
        places = new Semaphore(mostUnderWay);
        threads = Executors.newFixedThreadPool(atOnce, runnable -> {
            Thread thread = new Thread(runnable, "sluice-ship");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Finishes an SST in the background; takes ownership of the builder.
     *
     * @param finished called on a thread of the shipper when the SST is complete
     */
    public void finish(SstBuilder builder, Consumer<SstFile> finished) throws InterruptedException {
        inBackground(builder.bytes(), () -> finished.accept(finishNow(builder)));
    }

    /**
     * Finishes an SST and hands it over in the background; takes ownership of the builder.
     *
     * @param taken called on a thread of the shipper when the nodes have taken the SST
     */
    public void finishAndShip(SstBuilder builder, Consumer<SstFile> taken) throws InterruptedException {
        inBackground(builder.bytes(), () -> {
            SstFile sst = finishNow(builder);
            handOver(sst);
            taken.accept(sst);
        });
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
    public void ship(SstFile sst) throws InterruptedException {
        inBackground(sst.fileBytes(), () -> handOver(sst));
    }

    /** Makes a finished SST of that many bytes, and hands it over, both in the background. */
    public void ship(long bytes, Made sst) throws InterruptedException {
        inBackground(bytes, () -> {
            failIfOthersDid();
            try {
                handOver(sst.make());
            } catch (IOException e) {
                throw new OperationFailedException("an SST could not be copied: " + e.getMessage(), e);
            }
        });
    }

    /** Makes an SST. */
    public interface Made {
        SstFile make() throws IOException;
    }

    private void handOver(SstFile sst) {
        deliver(sst);
        observer.handedOver(sst);
    }

    private void deliver(SstFile sst) {
        long epoch = session.directory().epoch();
        while (true) {
            long cutFor = epoch;
            ShipAnswer answer = untilTaken("an SST", () -> offer(sst, cutFor));
            if (answer instanceof ShipAnswer.NotRead) {
                deliver(fetched(sst));
                return;
            }
            ShipAnswer.Moved moved = (ShipAnswer.Moved) answer;
            if (moved == null) {
                if (sst.bytes() instanceof SstBytes.InMemory memory) {
                    memory.release();
                }
                return;
            }
            RangeDirectory now = moved.directory();
            if (SstCutter.cuts(sst, now.cuts())) {
                cut(sst, now).forEach(this::deliver);
                return;
            }
            if (now.epoch() <= epoch) {
                throw new OperationFailedException("an SST was cut for epoch " + epoch
                        + " of the range directory, but a node knows only epoch " + now.epoch() + "");
            }
            epoch = now.epoch();
        }
    }

    /** Creates a shipper of KV batches that uses this shipper's threads and keeps {@code batches} batches in memory. */
    public BatchShipper forBatches(int batches) {
        return new BatchShipper(session, (what, offer) -> (ShipAnswer.Moved) untilTaken(what, offer), threads, batches);
    }

    /**
     * Offers an SST or a batch until the node takes it; returns null then. The answers {@code Moved} and
     * {@code NotRead} are returned at once. The node says when to offer it again.
     *
     * @throws NodeBusyException when the node deferred it for too long, and nodes took nothing else in that time
     */
    private @Nullable ShipAnswer untilTaken(String what, Supplier<ShipAnswer> offer) {
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
            if (answer instanceof ShipAnswer.Moved || answer instanceof ShipAnswer.NotRead) {
                return answer;
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

    /** Offers an SST; no more at an object store after nodes have not read {@value #MOST_NOT_READ} of them. */
    private ShipAnswer offer(SstFile sst, long epoch) {
        if (sst.bytes() instanceof SstBytes.InStore && notRead.get() >= MOST_NOT_READ) {
            return new ShipAnswer.NotRead("the nodes do not read SSTs from object stores");
        }
        ShipAnswer answer = session.ship(sst, epoch);
        if (answer instanceof ShipAnswer.NotRead) {
            notRead.incrementAndGet();
        }
        return answer;
    }

    private SstFile fetched(SstFile sst) {
        try {
            return cutter.inFile(sst);
        } catch (IOException e) {
            throw new OperationFailedException("an SST could not be fetched: " + e.getMessage(), e);
        }
    }

    private List<SstFile> cut(SstFile sst, RangeDirectory directory) {
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

    private void inBackground(long bytes, Runnable work) throws InterruptedException {
        failIfOthersDid();
        room.enter(bytes);
        places.acquire();
        threads.execute(() -> {
            try {
                work.run();
            } catch (RuntimeException e) {
                failure = e;
            } catch (Error e) {
                failure = new IllegalStateException(e);
            } finally {
                places.release();
                room.leave(bytes);
            }
        });
    }

    private void failIfOthersDid() {
        RuntimeException other = failure;
        if (other != null) {
            throw other;
        }
    }

    /** Waits until nothing is under way; throws the failure of a delivery at once. */
    public void awaitAll() throws InterruptedException {
        while (!places.tryAcquire(mostUnderWay, LOOK_FOR_FAILURE_MILLIS, TimeUnit.MILLISECONDS)) {
            failIfOthersDid();
        }
        places.release(mostUnderWay);
        failIfOthersDid();
    }

    /**
     * Stops all deliveries: interrupts those under way and fails those that wait. SSTs that were not handed over then
     * hold no file or memory; {@link #close} waits for this.
     */
    public void stop() {
        if (failure == null) {
            failure = new OperationFailedException("the import is being stopped");
        }
        // Run them so that they fail: callers that wait for them get the failure, and their builders are closed.
        threads.shutdownNow().forEach(Runnable::run);
    }

    /** Waits until nothing is under way. */
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
