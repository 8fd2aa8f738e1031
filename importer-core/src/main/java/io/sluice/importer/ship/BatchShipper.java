package io.sluice.importer.ship;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.IndexDigest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hands batches of KVs over to the nodes that hold their part of the keys, on threads beside the workers'. There is a
 * fixed number of batches: who wants one more waits until the node has taken another, which is how a slow node slows
 * the reading down. Usable by several threads.
 */
public final class BatchShipper {
    /**
     * Memory of one batch, 1 MiB: 3,000 rows of 330 bytes, so that what is done once per batch is not felt per KV, and
     * a dozen of them under way take no more memory than half a sort buffer.
     */
    public static final int BATCH_BYTES = 1 << 20;

    /** For every worker one that it fills, one under way, and one on its way back. */
    private static final int BATCHES_PER_WORKER = 3;

    private final ImportSession session;
    private final Delivering delivering;
    private final Executor threads;
    private final RangeDirectory directory;
    private final BlockingQueue<BatchBuilder> free = new LinkedBlockingQueue<>();
    private final Phaser underWay = new Phaser(1);
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    /** Offers something to the node until it is taken; returns null then, or that its keys have moved. */
    @FunctionalInterface
    interface Delivering {
        ShipAnswer.@Nullable Moved untilTaken(String what, Supplier<ShipAnswer> offer);
    }

    BatchShipper(ImportSession session, Delivering delivering, Executor threads, int batches) {
        this.session = session;
        this.delivering = delivering;
        this.threads = threads;
        directory = session.directory();
        IndexDigest first = IndexDigest.of(session.table(), 0);
        for (int i = 0; i < batches; i++) {
            free.add(new BatchBuilder(first, BATCH_BYTES));
        }
    }

    /** How many batches so many workers can use. */
    public static int mostBatches(int workers) {
        return BATCHES_PER_WORKER * workers;
    }

    /** Keys that no batch may hold KVs on both sides of, ascending. */
    public byte[][] cuts() {
        return directory.cuts().toArray(new byte[0][]);
    }

    /** An empty batch; waits for one. To be shipped or given back. */
    public BatchBuilder begin(IndexDigest index) {
        rethrow();
        BatchBuilder batch;
        try {
            batch = free.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("the import was interrupted while it waited for the node", e);
        }
        batch.begin(index, BATCH_BYTES);
        return batch;
    }

    /** Takes back a batch that will not be shipped. */
    public void giveBack(BatchBuilder batch) {
        free.add(batch);
    }

    /**
     * Sends a batch that is not empty, in the background.
     *
     * @param onTaken called when the nodes have taken it, on one of the threads
     */
    public void ship(BatchBuilder batch, Runnable onTaken) {
        underWay.register();
        threads.execute(() -> {
            try {
                if (failure.get() == null) {
                    deliver(batch);
                    onTaken.run();
                }
            } catch (RuntimeException e) {
                failure.compareAndSet(null, e);
            } finally {
                giveBack(batch);
                underWay.arriveAndDeregister();
            }
        });
    }

    private void deliver(BatchBuilder filled) {
        int part = directory.ranges().isEmpty() ? 0 : directory.rangeOf(filled.firstKey());
        ShuffleBatch batch = filled.batch(part);
        ShipAnswer.Moved moved =
                delivering.untilTaken("a batch of KVs", () -> session.shuffle(batch, directory.epoch()));
        if (moved != null) {
            throw new OperationFailedException("a node knows epoch "
                    + moved.directory().epoch() + " of the division of keys, and this import was divided by epoch "
                    + directory.epoch());
        }
    }

    /** Waits until everything that was shipped was taken; throws what the first failure was. */
    public void awaitAll() throws InterruptedException {
        underWay.awaitAdvanceInterruptibly(underWay.arrive());
        rethrow();
    }

    private void rethrow() {
        RuntimeException failed = failure.get();
        if (failed != null) {
            throw failed;
        }
    }
}
