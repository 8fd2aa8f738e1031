package io.sluice.node.ingest;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.IndexKeys;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.node.IndexSum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.api.schema.Table;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.catalog.Receipts;
import io.sluice.node.compact.CompactionMode;
import io.sluice.node.compact.LiveTree;
import io.sluice.node.store.CountedSst;
import io.sluice.node.store.Family;
import io.sluice.node.store.StoreErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * SSTs enter the tree as they come, whatever they overlap:
 *
 * <ol>
 *   <li>receipt: an SST that was taken before is not taken again;
 *   <li>gate: may it enter now? A file that may not is not touched;
 *   <li>stage: it is moved here and verified, any number of them at a time;
 *   <li>ingest: large ones move into the tree, the KVs of small ones land in a column family of their own, to be
 *       drained beside, and wait while there is no room; either way the receipt is durable before the answer is given;
 *   <li>settle: what landed is drained, and all that overlaps is merged.
 * </ol>
 */
final class OnArrivalIntake implements Intake {
    private final ImportContext context;
    private final Gate gate;
    private final ImportRecord running;
    private final Staging staging;
    private final Receipts receipts;
    private final LiveTree tree;
    private final IngestQueue queue;
    private final Landing landing;
    private final ShippedSums shipped = new ShippedSums();
    /** Deliveries under way. */
    private final Map<UUID, CompletableFuture<ShipAnswer>> arriving = new ConcurrentHashMap<>();

    private final AtomicInteger ssts = new AtomicInteger();
    private final AtomicLong bytesIngested = new AtomicLong();
    private final AtomicLong bytesCopied = new AtomicLong();
    /** Whether something was taken since {@link #settle}. */
    private volatile boolean unsettled;

    OnArrivalIntake(ImportContext context, Gate gate, ImportRecord begun, Staging staging) {
        this.context = context;
        this.gate = gate;
        this.staging = staging;
        running = begun;
        receipts = new Receipts(context.store(), begun.id());
        Family family = context.store().family(begun.family());
        List<KeySpan> indexes = indexSpans(begun.table());
        tree = context.compactor().manage(family, CompactionMode.OFFLINE, indexes);
        queue = new IngestQueue(family, receipts, context.faults());
        landing = new Landing(context, new ImportTarget(begun.id(), tree, receipts, indexes, staging.directory()));
    }

    private static List<KeySpan> indexSpans(Table table) {
        IndexKeys keys = new IndexKeys(table);
        return IntStream.range(0, table.indexes().size())
                .mapToObj(keys::span)
                .sorted(Comparator.comparing(KeySpan::start, Arrays::compareUnsigned))
                .toList();
    }

    @Override
    public ImportRecord running() {
        return running;
    }

    @Override
    public ShipAnswer ship(SstFile sst) {
        CompletableFuture<ShipAnswer> own = new CompletableFuture<>();
        CompletableFuture<ShipAnswer> other = arriving.putIfAbsent(sst.id(), own);
        if (other != null) {
            return repeated(sst, outcome(other));
        }
        try {
            ShipAnswer answer = receipts.has(sst.id()) ? repeated(sst, new ShipAnswer.Taken()) : enter(sst);
            own.complete(answer);
            return answer;
        } catch (RuntimeException | Error e) {
            own.completeExceptionally(e);
            throw e;
        } finally {
            arriving.remove(sst.id());
        }
    }

    private static ShipAnswer outcome(CompletableFuture<ShipAnswer> delivery) {
        try {
            return delivery.join();
        } catch (CompletionException e) {
            throw new OperationFailedException(
                    "the same SST was being delivered already, and that failed: "
                            + (e.getCause() == null ? e : e.getCause()).getMessage(),
                    e);
        }
    }

    /** The other delivery's answer; a second copy of a file that was taken serves nobody. */
    private static ShipAnswer repeated(SstFile sst, ShipAnswer answer) {
        if (answer instanceof ShipAnswer.Taken) {
            try {
                Files.deleteIfExists(sst.path());
            } catch (IOException e) {
                throw StoreErrors.failed("remove " + sst.path(), e);
            }
        }
        return answer;
    }

    private ShipAnswer enter(SstFile sst) {
        boolean small = context.settings().small(sst);
        if (small && !landing.admits()) {
            return new ShipAnswer.Deferred(context.settings().admission().minDeferMillis(), "landing");
        }
        Gate.Entry entry = gate.enter(running.table().name(), sst, tree, !small);
        Gate.Place place = entry.place();
        if (place == null) {
            return entry.answer();
        }
        boolean arrived = false;
        try {
            StagedSst staged = staging.accept(sst);
            unsettled = true;
            ingest(staged, small);
            bytesCopied.addAndGet(staged.bytesCopied());
            shipped.add(sst);
            arrived = true;
            return entry.answer();
        } finally {
            if (arrived) {
                place.arrived();
            } else {
                place.leave();
            }
        }
    }

    private void ingest(StagedSst staged, boolean small) {
        try {
            context.faults().reached(FaultPoints.SHIPPED);
            if (small) {
                landing.put(staged);
            } else {
                queue.ingest(staged);
                ssts.incrementAndGet();
                bytesIngested.addAndGet(staged.sst().fileBytes());
            }
        } catch (RuntimeException e) {
            try {
                staging.giveBack(staged);
            } catch (OperationFailedException givingBack) {
                e.addSuppressed(givingBack);
            }
            throw e;
        }
    }

    @Override
    public IngestReport settle() {
        long begun = System.nanoTime();
        landing.drainAll();
        context.compactor().mergeAll(tree);
        unsettled = false;
        return new IngestReport(
                ssts.get(),
                landing.puts(),
                tree.maxHeight(),
                tree.level0Files(),
                bytesIngested.get(),
                bytesCopied.get() + landing.bytesWritten() + tree.bytesMerged(),
                (System.nanoTime() - begun) / 1e9);
    }

    @Override
    public List<IndexSum> present() {
        ensureSettled();
        Family family = tree.family();
        List<CountedSst> live = family.countedFiles();
        boolean told = !family.mayHoldOldVersions() && PresentKvs.indexesApart(running.table(), live);
        return told
                ? PresentKvs.inOwnFamily(running.table(), live, shipped)
                : PresentKvs.byReading(family, running.table(), context.readThreads());
    }

    @Override
    public void ensureSettled() {
        if (unsettled) {
            throw new IllegalStateException("SSTs were shipped since the import was settled; settle it again");
        }
    }

    @Override
    public void published() {
        tree.published(running.table().name());
        context.compactor().manage(tree.family(), CompactionMode.ONLINE, List.of());
    }

    @Override
    public void undoing() {
        landing.stop();
        context.compactor().forget(running.family());
    }
}
