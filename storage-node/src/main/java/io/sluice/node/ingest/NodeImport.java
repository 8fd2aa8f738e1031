package io.sluice.node.ingest;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexSum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableDigest;
import io.sluice.api.schema.Table;
import io.sluice.node.catalog.ImportPhase;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.read.TableSweep;
import io.sluice.node.store.CountedSst;
import io.sluice.node.store.Family;
import io.sluice.node.store.LiveSst;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One import into one new table:
 *
 * <ol>
 *   <li>{@link #ship}: an SST is moved into staging and checked, any number of them at a time;
 *   <li>{@link #settle}: staging is synced, the intent made durable, all files enter the tree in one call;
 *   <li>{@link #present}, {@link #readBack}: what is there, for the importer to compare;
 *   <li>{@link #publish}: one write, and the table is there for everybody.
 * </ol>
 *
 * <p>Shipping takes the lock shared; the steps that need the files to stand still take it alone.
 */
final class NodeImport implements ImportSession {
    private static final Logger LOG = LoggerFactory.getLogger(NodeImport.class);

    private enum State {
        OPEN,
        PUBLISHED,
        CLOSED
    }

    private final ImportContext context;
    private final Imports imports;
    private final Staging staging;
    private final ReadWriteLock steps = new ReentrantReadWriteLock();
    /** Guarded by itself: shippers add to them at the same time. */
    private final List<StagedSst> staged = new ArrayList<>();

    private final Set<UUID> known = new HashSet<>();
    private final List<SstFile> ingested = new ArrayList<>();
    private ImportRecord running;
    private State state = State.OPEN;

    NodeImport(ImportContext context, Imports imports, ImportRecord begun, Staging staging) {
        this.context = context;
        this.imports = imports;
        this.staging = staging;
        running = begun;
    }

    @Override
    public Table table() {
        return running.table();
    }

    @Override
    public ShipAnswer ship(SstFile sst) {
        Lock shared = steps.readLock();
        shared.lock();
        try {
            ensureOpen();
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
        } finally {
            shared.unlock();
        }
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
        return alone(this::ingestStaged);
    }

    private IngestReport ingestStaged() {
        List<StagedSst> files;
        synchronized (staged) {
            files = List.copyOf(staged);
        }
        if (!files.isEmpty()) {
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
        return alone(() -> {
            List<CountedSst> live = family().countedFiles();
            return running.ownsFamily()
                    ? PresentKvs.inOwnFamily(table(), live, ingested)
                    : PresentKvs.inSharedFamily(table(), live, ingested);
        });
    }

    @Override
    public TableDigest readBack() {
        return alone(() -> TableSweep.digest(family(), table(), context.readThreads()));
    }

    @Override
    public void publish(List<IndexSum> imported) {
        alone(() -> {
            ensureAllIngested();
            context.faults().reached(FaultPoints.BEFORE_PUBLISH);
            long now = context.clock().millis();
            context.catalog().publish(running, imported, now);
            state = State.PUBLISHED;
            removeStaging();
            context.faults().reached(FaultPoints.PUBLISHED);
            return running;
        });
    }

    /**
     * The table is published: an empty directory that stays until the store is opened again must not look like failure.
     */
    private void removeStaging() {
        try {
            Staging.remove(context.staging(), running.id());
        } catch (OperationFailedException e) {
            LOG.warn("{}; it is removed when the store is opened next", e.getMessage());
        }
    }

    private void ensureAllIngested() {
        synchronized (staged) {
            if (!staged.isEmpty() || running.phase() == ImportPhase.INGESTING) {
                throw new IllegalStateException(
                        staged.size() + " SSTs were shipped and not ingested; ingest before publishing");
            }
        }
    }

    @Override
    public void close() {
        Lock alone = steps.writeLock();
        alone.lock();
        try {
            // When the store is closed first, the next one to open it undoes the import.
            if (state == State.OPEN && !context.store().closed()) {
                state = State.CLOSED;
                imports.undo(running);
            }
        } finally {
            alone.unlock();
        }
    }

    private <T> T alone(Supplier<T> step) {
        Lock alone = steps.writeLock();
        alone.lock();
        try {
            ensureOpen();
            return step.get();
        } finally {
            alone.unlock();
        }
    }

    private void ensureOpen() {
        if (state != State.OPEN) {
            throw new IllegalStateException(
                    "the import of table " + running.table().name() + " is over");
        }
    }

    private Family family() {
        return context.store().family(running.family());
    }
}
