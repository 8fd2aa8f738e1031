package io.sluice.node.ingest;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.IndexKeys;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.node.IndexSum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstFile;
import io.sluice.api.schema.Table;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.shuffle.ShuffleBuffer;
import io.sluice.node.shuffle.ShuffleSettings;
import io.sluice.node.shuffle.SortedSsts;
import io.sluice.node.store.StoreErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * KVs come in any order, and the node sorts them:
 *
 * <ol>
 *   <li>room: is there space for the batch, and for the SSTs that what was taken will become?
 *   <li>buffer: the batch is in the {@link ShuffleBuffer}, once, however often it is delivered;
 *   <li>settle: the buffer is read back in key order into SSTs that do not overlap, several parts of the keys at a time;
 *       those enter the tree as any import's do that ingests at the end; the buffer is removed.
 * </ol>
 *
 * <p>The buffer lies in the import's staging directory, and goes with that when the import is undone.
 */
final class ShuffleIntake implements Intake {
    private static final String BUFFER = "buffer";
    private static final String SORTED = "sorted";
    /** Parts of the keys for every reading thread, so that all of them end at about the same time. */
    private static final int PARTS_PER_THREAD = 2;

    private final ImportContext context;
    private final AtEndIntake tree;
    private final IndexKeys keys;
    private final Path sorted;
    private final ShuffleBuffer buffer;
    private final ShuffleRoom room;
    private final Runnable closing;
    private @Nullable IngestReport settled;

    ShuffleIntake(ImportContext context, ImportRecord begun, Staging staging, ShuffleSettings settings) {
        this.context = context;
        tree = new AtEndIntake(context, begun, staging);
        keys = new IndexKeys(begun.table());
        sorted = staging.directory().resolve(SORTED);
        buffer = ShuffleBuffer.open(staging.directory().resolve(BUFFER), settings);
        room = new ShuffleRoom(context, settings.stallMillis());
        closing = buffer::close;
        context.store().atClose(closing);
    }

    @Override
    public ImportRecord running() {
        return tree.running();
    }

    @Override
    public ShipAnswer ship(SstFile sst) {
        throw new OperationFailedException("SST " + sst.id() + " was refused: the import of table "
                + table().name() + " was begun for KVs that the node sorts; begin it for SSTs");
    }

    @Override
    public ShipAnswer shuffle(ShuffleBatch batch) {
        if (settled != null) {
            throw new IllegalStateException("the import of table " + table().name() + " was settled");
        }
        ShipAnswer noRoom = room.answer(buffer.bytes());
        if (noRoom != null) {
            return noRoom;
        }
        int ordinal = ordinal(batch);
        if (!buffer.take(batch, ordinal, keys.span(ordinal))) {
            return room.stalled();
        }
        context.faults().reached(FaultPoints.BUFFERED);
        return new ShipAnswer.Taken();
    }

    private int ordinal(ShuffleBatch batch) {
        for (int i = 0; i < table().indexes().size(); i++) {
            if (table().indexes().get(i).def().id() == batch.indexId()) {
                return i;
            }
        }
        throw new OperationFailedException("batch " + batch.id() + " was refused: table " + table().name()
                + " has no index " + batch.indexId());
    }

    @Override
    public IngestReport settle() {
        IngestReport report = settled;
        if (report == null) {
            long begun = System.nanoTime();
            buffer.sync();
            sort();
            double seconds = (System.nanoTime() - begun) / 1e9;
            context.faults().reached(FaultPoints.SORTED);
            IngestReport ingested = tree.settle();
            report = new IngestReport(
                    ingested.ssts(),
                    ingested.puts(),
                    ingested.maxHeight(),
                    ingested.l0Files(),
                    ingested.bytesIngested(),
                    ingested.bytesWritten() + buffer.bytesWritten(),
                    seconds,
                    // While the buffer is read, what it becomes is there as well.
                    buffer.peakBytes() + ingested.bytesIngested());
            settled = report;
            context.store().forgetAtClose(closing);
            buffer.remove();
        }
        return report;
    }

    /** Makes SSTs of all that is buffered and stages them, several parts of the keys at a time. */
    private void sort() {
        try {
            Files.createDirectories(sorted);
        } catch (IOException e) {
            throw StoreErrors.failed("make " + sorted, e);
        }
        int threads = context.readThreads();
        ExecutorService pool = Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(work, "sluice-unshuffle");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<?>> parts = new ArrayList<>();
            for (int i = 0; i < table().indexes().size(); i++) {
                int ordinal = i;
                for (KeySpan part : buffer.cut(ordinal, keys.span(ordinal), threads * PARTS_PER_THREAD)) {
                    parts.add(pool.submit(() -> sort(ordinal, part)));
                }
            }
            await(parts);
        } finally {
            pool.shutdownNow();
        }
    }

    private void sort(int ordinal, KeySpan part) {
        SortedSsts ssts = buffer.newSsts(table().indexes().get(ordinal).def().id(), sorted);
        buffer.read(ordinal, part, ssts);
        ssts.written().forEach(tree::ship);
    }

    /** Waits for all parts, also when one failed: nobody may be at work when the caller tidies up. */
    private static void await(List<Future<?>> parts) {
        RuntimeException failure = null;
        boolean interrupted = false;
        for (Future<?> part : parts) {
            while (true) {
                try {
                    if (failure != null) {
                        part.cancel(false);
                    }
                    part.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                    continue;
                } catch (CancellationException e) {
                    // Because another one failed.
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
                break;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public List<IndexSum> present() {
        ensureSettled();
        return tree.present();
    }

    @Override
    public void ensureSettled() {
        if (settled == null) {
            throw new IllegalStateException("KVs were buffered and not ingested; settle the import");
        }
        tree.ensureSettled();
    }

    @Override
    public void published() {
        tree.published();
    }

    @Override
    public void undoing() {
        context.store().forgetAtClose(closing);
        buffer.close();
        tree.undoing();
    }

    private Table table() {
        return running().table();
    }
}
