package io.sluice.node.ingest;

import io.sluice.api.node.IndexSum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.api.schema.Table;
import io.sluice.node.catalog.ImportPhase;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.compact.CompactionMode;
import io.sluice.node.store.CountedSst;
import io.sluice.node.store.Family;
import io.sluice.node.store.LiveSst;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * SSTs wait in staging and enter the tree in one atomic call. That is how imports go whose SSTs do not overlap, and any
 * import into a column family that holds other tables: those stay readable, and untouched, until its end.
 */
final class AtEndIntake implements Intake {
    private final ImportContext context;
    private final Staging staging;
    /** Guarded by itself: shippers add to them at the same time. */
    private final List<StagedSst> staged = new ArrayList<>();

    private final Set<UUID> known = new HashSet<>();
    private final List<SstFile> ingested = new ArrayList<>();
    private ImportRecord running;
    private boolean paused;

    AtEndIntake(ImportContext context, ImportRecord begun, Staging staging) {
        this.context = context;
        this.staging = staging;
        running = begun;
    }

    @Override
    public ImportRecord running() {
        return running;
    }

    @Override
    public ShipAnswer ship(SstFile sst) {
        synchronized (staged) {
            if (!known.add(sst.id())) {
                // Delivered before; the first delivery stands.
                return new ShipAnswer.Taken();
            }
        }
        StagedSst arrived = accept(sst);
        synchronized (staged) {
            staged.add(arrived);
        }
        context.faults().reached(FaultPoints.SHIPPED);
        return new ShipAnswer.Taken();
    }

    private StagedSst accept(SstFile sst) {
        try {
            return staging.accept(sst);
        } catch (RuntimeException e) {
            synchronized (staged) {
                known.remove(sst.id());
            }
            throw e;
        }
    }

    @Override
    public IngestReport settle() {
        List<StagedSst> files;
        synchronized (staged) {
            files = List.copyOf(staged);
        }
        if (!files.isEmpty()) {
            pauseMerges();
            staging.sync();
            List<String> names = files.stream().map(StagedSst::fileName).toList();
            running = context.catalog().advance(running, ImportPhase.INGESTING, names);
            context.faults().reached(FaultPoints.INTENT);
            family().ingest(files.stream().map(StagedSst::path).toList());
            context.faults().reached(FaultPoints.INGESTED);
            running = context.catalog().advance(running, ImportPhase.INGESTED, names);
            synchronized (staged) {
                staged.clear();
            }
            files.forEach(file -> ingested.add(file.sst()));
        }
        return report(files);
    }

    /** What is there is counted by files, which must stay the ones that were ingested until that is done. */
    private void pauseMerges() {
        if (!paused) {
            context.compactor().pause(running.family());
            paused = true;
        }
    }

    private void resumeMerges() {
        if (paused) {
            paused = false;
            context.compactor().resume(running.family());
        }
    }

    private IngestReport report(List<StagedSst> files) {
        List<LiveSst> live = family().files();
        long bytes = 0;
        long copied = 0;
        for (StagedSst file : files) {
            bytes += file.sst().fileBytes();
            copied += file.bytesCopied();
        }
        int height = LsmShape.maxHeight(live);
        return new IngestReport(files.size(), 0, height, LsmShape.filesInLevel0(live), bytes, copied, 0);
    }

    @Override
    public List<IndexSum> present() {
        if (LsmShape.maxHeightOf(ingested) > 1) {
            // They may hold one key several times, and readers see it once.
            return PresentKvs.byReading(family(), table(), context.readThreads());
        }
        List<CountedSst> live = family().countedFiles();
        return running.ownsFamily()
                ? PresentKvs.inOwnFamily(table(), live, ShippedSums.of(ingested))
                : PresentKvs.inSharedFamily(table(), live, ingested);
    }

    @Override
    public void ensureSettled() {
        synchronized (staged) {
            if (!staged.isEmpty() || running.phase() == ImportPhase.INGESTING) {
                throw new IllegalStateException(
                        staged.size() + " SSTs were shipped and not ingested; ingest before publishing");
            }
        }
    }

    @Override
    public void published() {
        resumeMerges();
        context.compactor().manage(family(), CompactionMode.ONLINE, List.of()).published(table().name());
    }

    @Override
    public void undoing() {
        resumeMerges();
    }

    private Table table() {
        return running.table();
    }

    private Family family() {
        return context.store().family(running.family());
    }
}
