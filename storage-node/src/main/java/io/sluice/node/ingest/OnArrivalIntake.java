package io.sluice.node.ingest;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.engine.compact.CompactionMode;
import io.sluice.engine.compact.LiveTree;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.catalog.Receipts;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The intake of SSTs that enter the tree as they arrive, whatever they overlap:
 *
 * <ol>
 *   <li>receipt: an SST that was taken before is not taken again;
 *   <li>gate: may it enter now? If not, its file stays unchanged;
 *   <li>stage: it is moved to staging and verified, in parallel with others;
 *   <li>ingest: large SSTs move into the tree; KVs of small ones go to the small-SST buffer, which is flushed in the
 *       background and defers SSTs while it is full. Either way the receipt is durable before the answer;
 *   <li>finalize: the buffer is flushed, and all overlapping files are compacted.
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
    private final SmallSstBuffer smallSsts;
    private final KeyedLock locks = new KeyedLock();

    /** Whether an SST was taken after {@link #finalizeIngest}. */
    private volatile boolean unfinalized;
    /** Whether an earlier process took some SSTs; its knowledge about old versions in the tree is lost. */
    private final boolean adopted;

    OnArrivalIntake(ImportContext context, Gate gate, ImportRecord record, Staging staging) {
        this.context = context;
        this.gate = gate;
        this.staging = staging;
        running = record;
        receipts = new Receipts(context.store(), record.id());
        Family family = context.store().family(record.family());
        List<KeySpan> indexes = indexSpans(record.table());
        tree = context.compactor().manage(family, CompactionMode.OFFLINE, indexes);
        tree.filling(record.table().name());
        queue = new IngestQueue(family, receipts, context.faults());
        smallSsts = new SmallSstBuffer(
                context, new ImportTarget(record.id(), record.table(), tree, receipts, indexes, staging.directory()));
        adopted = !receipts.empty();
        unfinalized = !smallSsts.empty() || tree.refresh().height() > 1;
    }

    private static List<KeySpan> indexSpans(Table table) {
        return new IndexKeys(table)
                .spans().stream()
                        .sorted(Comparator.comparing(KeySpan::start, Arrays::compareUnsigned))
                        .toList();
    }

    @Override
    public Progress progress(UUID sst) {
        return receipts.contains(sst) ? Progress.INGESTED : Progress.UNKNOWN;
    }

    @Override
    public Gate.Entry enter(SstFile announced) {
        boolean small = context.settings().small(announced);
        if (small && !smallSsts.admits()) {
            return new Gate.Entry(
                    null,
                    new ShipAnswer.Deferred(
                            context.settings().admission().waits().minMillis(), "small_sst_buffer"));
        }
        return gate.enter(announced, tree, !small);
    }

    private boolean small(SstFile sst) {
        return context.settings().small(sst);
    }

    @Override
    public ShipAnswer ship(SstFile sst, Gate.@Nullable Place place) {
        return locks.locked(sst.id(), () -> {
            if (progress(sst.id()) == Progress.INGESTED) {
                if (place != null) {
                    place.leave();
                }
                return Staging.repeated(sst);
            }
            if (place != null) {
                return take(sst, place);
            }
            Gate.Entry entry = enter(sst);
            return entry.place() == null ? entry.answer() : take(sst, entry.place());
        });
    }

    private ShipAnswer take(SstFile sst, Gate.Place place) {
        boolean arrived = false;
        try {
            SstFile staged = staging.accept(sst);
            unfinalized = true;
            ingest(sst, staged);
            arrived = true;
            return new ShipAnswer.Taken();
        } finally {
            if (arrived) {
                place.arrived();
            } else {
                place.leave();
            }
        }
    }

    @Override
    public void eachTaken(Consumer<KeyBounds> visitor) {
        receipts.forEach((each, place) -> visitor.accept(LsmShape.bounds(each)));
    }

    private void ingest(SstFile sst, SstFile staged) {
        try {
            context.faults().reached(FaultPoints.SHIPPED);
            if (small(sst)) {
                smallSsts.put(staged);
            } else {
                queue.ingest(staged);
            }
        } catch (RuntimeException e) {
            try {
                staging.giveBack(sst);
            } catch (OperationFailedException givingBack) {
                e.addSuppressed(givingBack);
            }
            throw e;
        }
    }

    @Override
    public IngestReport finalizeIngest() {
        long start = System.nanoTime();
        smallSsts.flushAll();
        context.compactor().mergeAll(tree);
        unfinalized = false;
        Taken taken = taken();
        return new IngestReport(
                taken.ssts,
                taken.puts,
                tree.maxHeight(),
                tree.level0Files(),
                taken.bytesIngested,
                staging.bytesCopied() + smallSsts.bytesWritten() + tree.bytesMerged(),
                (System.nanoTime() - start) / 1e9);
    }

    /** The totals of all receipts, which alone are complete after a crash or a failed call. */
    private static final class Taken {
        int ssts;
        long puts;
        long bytesIngested;
        final ShippedChecksums sums = new ShippedChecksums();

        void add(SstFile sst, Receipts.Place place) {
            sums.add(sst);
            bytesIngested += sst.fileBytes();
            if (place == Receipts.Place.LANDING) {
                puts += sst.sum().count();
            } else {
                ssts++;
            }
        }
    }

    private Taken taken() {
        Taken taken = new Taken();
        receipts.forEach(taken::add);
        return taken;
    }

    @Override
    public List<IndexChecksum> present() {
        ensureFinalized();
        Family family = tree.family();
        List<LsmFile> live = family.countedFiles();
        boolean countable = !adopted
                && running.table().def().families() == 1
                && !family.mayHoldOldVersions()
                && PresentKvs.indexesApart(running.table(), live);
        return countable
                ? PresentKvs.inOwnFamily(running.table(), live, taken().sums)
                : PresentKvs.byReading(family, running.table(), context.readThreads());
    }

    @Override
    public void ensureFinalized() {
        if (unfinalized) {
            throw new OperationFailedException("SSTs were shipped after the import was finalized; finalize it again");
        }
    }

    @Override
    public void published() {
        tree.published(running.table().name());
        context.compactor().manage(tree.family(), CompactionMode.ONLINE, List.of());
    }

    @Override
    public void undoing() {
        smallSsts.stop();
        context.compactor().forget(running.family());
    }
}
