package io.sluice.node.ingest;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.StoreErrors;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import io.sluice.model.thread.Daemons;
import io.sluice.model.thread.Interrupts;
import io.sluice.node.catalog.ImportPhase;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.catalog.Receipts;
import io.sluice.node.shuffle.ShuffleBuffer;
import io.sluice.node.shuffle.ShuffleSettings;
import io.sluice.node.shuffle.SortedSsts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The intake of KVs in any order, which the node sorts:
 *
 * <ol>
 *   <li>room: has the disk space for the batch, and for the SSTs of all buffered KVs?
 *   <li>buffer: the batch is in the {@link ShuffleBuffer} once, however often it is delivered;
 *   <li>finalize: the buffer is read back in key order into SSTs that do not overlap, several key spans in parallel.
 *       They enter the tree as in {@link AtEndIntake}, and the buffer is removed.
 * </ol>
 *
 * <p>The buffer is in the import's staging directory, and is removed with it when the import is undone. A resumed
 * import opens it again after a restart, and repeats an interrupted sort.
 */
final class ShuffleIntake implements Intake {
    private static final String BUFFER = "buffer";
    private static final String SORTED = "sorted";
    /** Key spans per read thread, so that all threads end at about the same time. */
    private static final int SPANS_PER_THREAD = 2;

    private final ImportContext context;
    private final ImportRecord record;
    private final AtEndIntake tree;
    private final IndexKeys keys;
    private final List<IndexDigest> digests;
    private final Path sorted;
    private final Path buffered;
    private final ShuffleRoom room;
    private final Runnable closing = this::closeBuffer;
    /** The buffer; null once its KVs are in the tree or about to enter it. */
    private volatile @Nullable ShuffleBuffer buffer;

    /** The SSTs of the sorted buffer; written once, also when a later step fails and is retried. */
    private @Nullable List<SstFile> sortedSsts;

    private @Nullable IngestReport finalized;

    ShuffleIntake(ImportContext context, Gate gate, ImportRecord record, Staging staging, ShuffleSettings settings) {
        this.context = context;
        this.record = record;
        keys = new IndexKeys(record.table());
        digests = IndexDigest.ofAll(record.table());
        sorted = staging.directory().resolve(SORTED);
        buffered = staging.directory().resolve(BUFFER);
        room = new ShuffleRoom(context, gate, settings.stallMillis());
        boolean receiving = record.phase() == ImportPhase.RECEIVING;
        if (receiving) {
            forgetSorted(staging);
        }
        tree = new AtEndIntake(context, gate, record, staging);
        buffer = receiving ? open(staging, settings) : null;
    }

    /** Opens the buffer. A failure leaves it closed, so that the next attempt can open it. */
    private ShuffleBuffer open(Staging staging, ShuffleSettings settings) {
        ShuffleBuffer opened = ShuffleBuffer.open(buffered, settings);
        try {
            // RocksDB syncs the content of its directory; we make the directory's own name durable.
            staging.sync();
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
        context.store().atClose(closing);
        return opened;
    }

    /** Removes the files of an earlier sort that did not finish. */
    private void forgetSorted(Staging staging) {
        new Receipts(context.store(), record.id()).clear();
        staging.retain(Set.of(BUFFER));
    }

    private static void remove(Path directory) {
        try {
            DurableFiles.deleteTree(directory);
        } catch (IOException e) {
            throw StoreErrors.failed("remove " + directory, e);
        }
    }

    @Override
    public Progress progress(UUID sst) {
        return Progress.UNKNOWN;
    }

    @Override
    public Gate.Entry enter(SstFile announced) {
        throw noSst(announced);
    }

    @Override
    public ShipAnswer ship(SstFile sst, Gate.@Nullable Place place) {
        if (place != null) {
            place.leave();
        }
        throw noSst(sst);
    }

    private OperationFailedException noSst(SstFile sst) {
        return new OperationFailedException("SST " + sst.id() + " was refused: the import of table " + table().name()
                + " was begun for KVs that the node sorts; begin it for SSTs");
    }

    @Override
    public void secure() {
        ShuffleBuffer open = buffer;
        if (open != null) {
            open.sync();
        }
    }

    /** Visits the spans of all indexes when KVs are buffered, because the bounds of buffered KVs are not kept. */
    @Override
    public void eachTaken(Consumer<KeyBounds> visitor) {
        ShuffleBuffer open = buffer;
        if (open == null) {
            tree.eachTaken(visitor);
        } else if (open.bytes() > 0) {
            for (int i = 0; i < table().indexes().size(); i++) {
                KeySpan span = keys.span(i);
                visitor.accept(new KeyBounds(span.start(), span.end()));
            }
        }
    }

    @Override
    public ShipAnswer shuffle(ShuffleBatch batch) {
        ShuffleBuffer open = buffer;
        if (open == null) {
            throw new OperationFailedException("batch " + batch.id() + " was refused: the import of table "
                    + table().name() + " was finalized, and takes no more");
        }
        ShipAnswer noRoom = room.answer(open.bytes());
        if (noRoom != null) {
            return noRoom;
        }
        int ordinal = ordinal(batch);
        if (!open.take(batch, ordinal, keys.span(ordinal), digests.get(ordinal))) {
            return room.stalled();
        }
        context.faults().reached(FaultPoints.BUFFERED);
        return new ShipAnswer.Taken();
    }

    private int ordinal(ShuffleBatch batch) {
        int ordinal = table().ordinal(batch.indexId());
        if (ordinal < 0) {
            throw new OperationFailedException("batch " + batch.id() + " was refused: table " + table().name()
                    + " has no index " + batch.indexId());
        }
        return ordinal;
    }

    @Override
    public IngestReport finalizeIngest() {
        IngestReport report = finalized;
        if (report == null) {
            ShuffleBuffer open = buffer;
            report = open == null ? tree.finalizeIngest() : finalizeIngest(open);
            finalized = report;
            closeBuffer();
            remove(buffered);
            remove(sorted);
        }
        return report;
    }

    private IngestReport finalizeIngest(ShuffleBuffer open) {
        long start = System.nanoTime();
        open.sync();
        List<SstFile> ssts = sortedSsts == null ? sort(open) : sortedSsts;
        sortedSsts = ssts;
        // If the process ends before the intent to ingest, the sort is repeated.
        ssts.forEach(sst -> tree.ship(sst, null));
        double seconds = (System.nanoTime() - start) / 1e9;
        context.faults().reached(FaultPoints.SORTED);
        IngestReport ingested = tree.finalizeIngest();
        return new IngestReport(
                ingested.ssts(),
                ingested.puts(),
                ingested.maxHeight(),
                ingested.l0Files(),
                ingested.bytesIngested(),
                ingested.bytesWritten() + open.bytesWritten(),
                seconds,
                // While the buffer is read, its SSTs are on disk as well.
                open.peakBytes() + ingested.bytesIngested());
    }

    private void closeBuffer() {
        ShuffleBuffer open = buffer;
        buffer = null;
        if (open != null) {
            context.store().forgetAtClose(closing);
            open.close();
        }
    }

    /** Sorts all buffered KVs into SSTs, several key spans in parallel. */
    private List<SstFile> sort(ShuffleBuffer open) {
        remove(sorted);
        try {
            Files.createDirectories(sorted);
        } catch (IOException e) {
            throw StoreErrors.failed("make " + sorted, e);
        }
        int threads = context.readThreads();
        ExecutorService pool = Executors.newFixedThreadPool(threads, Daemons.named("sluice-unshuffle"));
        try {
            List<Future<List<SstFile>>> spans = new ArrayList<>();
            for (int i = 0; i < table().indexes().size(); i++) {
                int ordinal = i;
                for (KeySpan span : open.cut(ordinal, keys.span(ordinal), threads * SPANS_PER_THREAD)) {
                    spans.add(pool.submit(() -> sort(open, ordinal, span)));
                }
            }
            return await(spans);
        } finally {
            end(pool);
        }
    }

    private List<SstFile> sort(ShuffleBuffer open, int ordinal, KeySpan span) {
        SortedSsts ssts = open.newSsts(digests.get(ordinal), sorted);
        open.read(ordinal, span, ssts);
        return ssts.written();
    }

    /** Cancels running sorts and waits for their end, so that the caller can remove their files. */
    private static void end(ExecutorService pool) {
        pool.shutdownNow();
        Interrupts.outlast(() -> {
            while (!pool.awaitTermination(1, TimeUnit.MINUTES)) {
                // Not all have ended.
            }
        });
    }

    /** Collects the SSTs of all key spans; after a failure or an interrupt, cancels those that have not begun. */
    private static List<SstFile> await(List<Future<List<SstFile>>> spans) {
        List<SstFile> ssts = new ArrayList<>();
        RuntimeException failure = null;
        boolean interrupted = false;
        for (Future<List<SstFile>> span : spans) {
            try {
                if (failure != null) {
                    span.cancel(false);
                }
                ssts.addAll(span.get());
            } catch (InterruptedException e) {
                interrupted = true;
                if (failure == null) {
                    failure = new OperationFailedException("sorting buffered KVs was interrupted", e);
                }
            } catch (CancellationException e) {
                // Cancelled because another one failed.
            } catch (ExecutionException e) {
                RuntimeException cause = e.getCause() instanceof RuntimeException known
                        ? known
                        : new OperationFailedException("sorting buffered KVs failed: " + e.getCause(), e);
                if (failure == null) {
                    failure = cause;
                } else {
                    failure.addSuppressed(cause);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw failure;
        }
        return ssts;
    }

    @Override
    public List<IndexChecksum> present() {
        ensureFinalized();
        return tree.present();
    }

    @Override
    public void ensureFinalized() {
        if (finalized == null) {
            throw new OperationFailedException(
                    "KVs were buffered and not ingested; finalize the import, then publish it");
        }
        tree.ensureFinalized();
    }

    @Override
    public void published() {
        tree.published();
    }

    @Override
    public void undoing() {
        closeBuffer();
        tree.undoing();
    }

    @Override
    public void left() {
        tree.left();
    }

    private Table table() {
        return record.table();
    }
}
