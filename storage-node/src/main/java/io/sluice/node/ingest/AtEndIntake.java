package io.sluice.node.ingest;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.engine.compact.CompactionMode;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.Table;
import io.sluice.node.catalog.ImportPhase;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.catalog.Receipts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The intake of SSTs that wait in staging and enter the tree in one atomic call. It serves imports whose SSTs do not
 * overlap, and all imports into a shared column family: the other tables stay readable and unchanged until the end.
 *
 * <p>A resumable import makes an SST's name and receipt durable before it acknowledges the SST. Other imports need
 * neither, because they do not outlive their process.
 */
class AtEndIntake implements Intake {
    final ImportContext context;
    final Staging staging;
    final ImportRecord record;
    private final Gate gate;
    private final boolean resumable;
    private final Receipts receipts;
    private final KeyedLock locks = new KeyedLock();
    /** The progress of SSTs by id. */
    private final Map<UUID, Progress> known = new ConcurrentHashMap<>();
    /** Staged SSTs. Guarded by itself: shippers add to it concurrently. */
    private final List<SstFile> staged = new ArrayList<>();

    private final List<SstFile> ingested = new ArrayList<>();
    private boolean paused;
    /** Whether compactions may have replaced ingested files, so that counting those finds too few KVs. */
    private boolean uncounted;

    AtEndIntake(ImportContext context, Gate gate, ImportRecord record, Staging staging) {
        this.context = context;
        this.gate = gate;
        this.staging = staging;
        this.record = record;
        resumable = record.claim() != null;
        receipts = new Receipts(context.store(), record.id());
        receipts.forEach(this::adopt);
    }

    private void adopt(SstFile receipt, Receipts.Place place) {
        SstFile sst = receipt.at(staging.path(receipt.id()));
        if (place == Receipts.Place.STAGED) {
            staged.add(sst);
            known.put(sst.id(), Progress.STAGED);
        } else {
            ingested.add(sst);
            known.put(sst.id(), Progress.INGESTED);
            uncounted = !record.ownsFamily();
        }
    }

    @Override
    public Progress progress(UUID sst) {
        return known.getOrDefault(sst, Progress.UNKNOWN);
    }

    @Override
    public Gate.Entry enter(SstFile announced) {
        return gate.enterStaging(announced);
    }

    @Override
    public ShipAnswer ship(SstFile sst, Gate.@Nullable Place place) {
        try {
            return locks.locked(sst.id(), () -> {
                if (known.containsKey(sst.id())) {
                    return Staging.repeated(sst);
                }
                stage(sst);
                return new ShipAnswer.Taken();
            });
        } finally {
            if (place != null) {
                place.leave();
            }
        }
    }

    private void stage(SstFile sst) {
        SstFile arrived = staging.accept(sst);
        if (resumable) {
            staging.sync();
            context.faults().reached(FaultPoints.SYNCED);
            receipts.record(List.of(sst), Receipts.Place.STAGED);
        }
        synchronized (staged) {
            staged.add(arrived);
        }
        known.put(sst.id(), Progress.STAGED);
        if (resumable) {
            context.faults().reached(FaultPoints.RECEIPT);
        }
        context.faults().reached(FaultPoints.SHIPPED);
    }

    /** The staged SSTs. */
    final List<SstFile> files() {
        synchronized (staged) {
            return List.copyOf(staged);
        }
    }

    @Override
    public void eachTaken(Consumer<KeyBounds> visitor) {
        files().forEach(each -> visitor.accept(LsmShape.bounds(each)));
        ingested.forEach(each -> visitor.accept(LsmShape.bounds(each)));
    }

    @Override
    public IngestReport finalizeIngest() {
        resolveIngest();
        List<SstFile> files = files();
        if (!files.isEmpty()) {
            pauseMerges();
            staging.sync();
            List<String> names =
                    files.stream().map(sst -> Staging.fileName(sst.id())).toList();
            long newest = LsmShape.newest(family().files());
            advance(ImportPhase.INGESTING, names, newest, new WriteSet());
            context.faults().reached(FaultPoints.INTENT);
            family().ingest(files.stream().map(SstFile::path).toList());
            context.faults().reached(FaultPoints.INGESTED);
            advance(
                    ImportPhase.INGESTED,
                    names,
                    newest,
                    resumable ? receipts.receipts(files, Receipts.Place.TREE) : new WriteSet());
            synchronized (staged) {
                staged.clear();
            }
            ingested.addAll(files);
            files.forEach(sst -> known.put(sst.id(), Progress.INGESTED));
        }
        return report(ingested);
    }

    /** Finds out what became of an ingest whose call failed after the intent was recorded, while merges are paused. */
    private void resolveIngest() {
        if (resumable && phase() == ImportPhase.INGESTING) {
            new InterruptedImport(context, context.catalog().imports().require(record.id())).resolveIngest();
            staged.clear();
            ingested.clear();
            receipts.forEach(this::adopt);
        }
    }

    private ImportPhase phase() {
        return context.catalog().imports().require(record.id()).phase();
    }

    private void advance(ImportPhase phase, List<String> names, long newest, WriteSet alongside) {
        context.catalog().imports().advance(record.id(), new ImportRecord.Progress(phase, names, newest), alongside);
    }

    /** Pauses compactions: the KVs are counted by files, and compactions would replace the ingested files. */
    final void pauseMerges() {
        if (!paused) {
            // First: an interrupted wait leaves them paused, too.
            paused = true;
            context.compactor().pause(record.family(), record.id());
        }
    }

    /** Resumes compactions, also those that an earlier intake of this import has paused. */
    final void resumeMerges() {
        paused = false;
        context.compactor().resume(record.family(), record.id());
    }

    final IngestReport report(List<SstFile> taken) {
        List<LsmFile> live = family().files();
        long bytes = taken.stream().mapToLong(SstFile::fileBytes).sum();
        int height = LsmShape.maxHeight(live);
        return new IngestReport(taken.size(), 0, height, LsmShape.filesInLevel0(live), bytes, staging.bytesCopied(), 0);
    }

    @Override
    public List<IndexChecksum> present() {
        if (uncounted
                || table().def().families() > 1
                || KeyBounds.maxHeight(ingested.stream().map(LsmShape::bounds).toList()) > 1) {
            // Files may hold several versions of one key, of which readers see one; or several KVs of one entry.
            return PresentKvs.byReading(family(), table(), context.readThreads());
        }
        List<LsmFile> live = family().countedFiles();
        return record.ownsFamily()
                ? PresentKvs.inOwnFamily(table(), live, ShippedChecksums.of(ingested))
                : PresentKvs.inSharedFamily(table(), live, ingested);
    }

    @Override
    public void ensureFinalized() {
        synchronized (staged) {
            if (!staged.isEmpty() || phase() == ImportPhase.INGESTING) {
                throw new OperationFailedException(
                        staged.size() + " SSTs were shipped and not ingested; finalize the import, then publish it");
            }
        }
    }

    @Override
    public void published() {
        resumeMerges();
        context.compactor().manage(family(), CompactionMode.ONLINE, List.of()).published(table().name());
    }

    /**
     * Resumes compactions: other tables of the column family must not wait for a client that may return tomorrow. An
     * ingest that is not recorded is resolved before, because only its files in the tree show that it happened.
     */
    @Override
    public void left() {
        resolveIngest();
        if (paused && !record.ownsFamily()) {
            uncounted = true;
        }
        resumeMerges();
    }

    /** Resumes compactions, but not after an ingest that is not recorded: {@link Imports#undo} does so in the end. */
    @Override
    public void undoing() {
        if (phase() != ImportPhase.INGESTING) {
            resumeMerges();
        }
    }

    private Table table() {
        return record.table();
    }

    final Family family() {
        return context.store().family(record.family());
    }
}
