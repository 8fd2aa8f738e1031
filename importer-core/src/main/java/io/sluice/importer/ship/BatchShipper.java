package io.sluice.importer.ship;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hands batches of KVs over to the nodes that hold their ranges, on threads of its own. The number of batches is fixed:
 * a caller waits for a batch until the node has taken another one. So a slow node slows the reading down. Usable by
 * several threads.
 */
public final class BatchShipper {
    /**
     * Memory of one batch: 1 MiB, which holds 3,000 rows of 330 bytes. The cost per batch is then small per KV, and a
     * dozen batches under way take half the memory of a sort buffer.
     */
    public static final int BATCH_BYTES = 1 << 20;

    /** Each worker has one batch that it fills, one under way, and one being returned. */
    private static final int BATCHES_PER_WORKER = 3;

    private final ImportSession session;
    private final Delivering delivering;
    private final Executor threads;
    private final RangeDirectory directory;
    private final BlockingQueue<BatchBuilder> free = new LinkedBlockingQueue<>();
    private final Phaser underWay = new Phaser(1);
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    /**
     * Offers an SST or a batch to the node until the node takes it; returns null then, or the answer that its keys have
     * moved.
     */
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

    /** Most batches that a number of workers can use. */
    public static int mostBatches(int workers) {
        return BATCHES_PER_WORKER * workers;
    }

    /** Borders between batches, ascending: no batch may hold KVs from both sides of a cut. */
    public byte[][] cuts() {
        return directory.cuts().toArray(new byte[0][]);
    }

    /** Takes an empty batch; waits until one is free. The caller ships it or gives it back. */
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

    /** Returns a batch that will not be shipped. */
    public void giveBack(BatchBuilder batch) {
        free.add(batch);
    }

    /**
     * Sends a non-empty batch in the background.
     *
     * @param onTaken called on a thread of the shipper when the nodes have taken the batch
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
            } catch (Error e) {
                failure.compareAndSet(null, new IllegalStateException(e));
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
                    + moved.directory().epoch() + " of the range directory, and this import uses epoch "
                    + directory.epoch());
        }
    }

    /** Waits until the nodes have taken all batches; throws the first failure. */
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
