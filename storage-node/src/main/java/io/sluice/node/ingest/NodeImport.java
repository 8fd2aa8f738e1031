package io.sluice.node.ingest;

import io.sluice.api.node.AppendPart;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.OverlapReport;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableDigest;
import io.sluice.engine.store.Family;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.TableBusyException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import io.sluice.node.catalog.Checkpoints;
import io.sluice.node.catalog.FencingToken;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.read.TableSweep;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One import into one new table:
 *
 * <ol>
 *   <li>{@link #ship}: an SST is checked and taken, any number of them at a time;
 *   <li>{@link #finalizeIngest}: all taken SSTs are in the tree;
 *   <li>{@link #present}, {@link #readBack}: the table's checksums, for the importer to compare;
 *   <li>{@link #publish}: one write makes the table visible to all readers.
 * </ol>
 *
 * <p>The {@link Intake} brings the SSTs into the tree. Shipping takes the lock shared; steps that need the files
 * unchanged take it exclusively. Every call carries the number of its attempt: after a later attempt began, no step of
 * an earlier one begins.
 */
final class NodeImport {
    private static final Logger LOG = LoggerFactory.getLogger(NodeImport.class);

    /** The number of updates of the lease's time within a lease. */
    private static final int TOUCHES_PER_LEASE = 24;

    private enum State {
        OPEN,
        PUBLISHED,
        CLOSED
    }

    private final ImportContext context;
    private final Imports imports;
    private final ImportRecord opened;
    private final Intake intake;
    /** The intake again if the import adds rows to an existing table; null for a new table. */
    private final @Nullable AppendIntake append;

    private final Checkpoints checkpoints;
    private final Placement placement;
    private final ReadWriteLock steps = new ReentrantReadWriteLock();
    /** The running step that may be cancelled. */
    private final CancellableStep step = new CancellableStep();

    private volatile State state = State.OPEN;

    NodeImport(
            ImportContext context, Imports imports, ImportRecord opened, Intake intake, @Nullable AppendIntake append) {
        this.context = context;
        this.imports = imports;
        this.opened = opened;
        this.intake = intake;
        this.append = append;
        checkpoints = new Checkpoints(context.store(), opened.id());
        placement = new Placement(context.catalog().nodeId());
    }

    /** The import's record when this process opened it. Its table and its timing do not change. */
    ImportRecord opened() {
        return opened;
    }

    Table table() {
        return opened.table();
    }

    /** The number of the latest attempt; 0 when the import has ended. */
    long latestAttempt() {
        if (state != State.OPEN) {
            return 0;
        }
        FencingToken claim = record().claim();
        return claim == null ? 1 : claim.attempt();
    }

    private ImportRecord record() {
        return context.catalog().imports().require(opened.id());
    }

    RangeDirectory directory(long attempt) {
        return shared(attempt, () -> record().directory());
    }

    void assign(long attempt, RangeDirectory directory) {
        alone(attempt, () -> {
            RangeDirectory known = record().directory();
            if (!placement.sameAs(known, directory)) {
                placement.checkRefines(known, directory, intake::eachTaken);
                context.catalog().imports().assign(opened.id(), directory);
                context.faults().reached(FaultPoints.ASSIGNED);
            }
            return directory;
        });
    }

    /** Answers an announced SST, or holds room for it. */
    Admission admit(long attempt, SstFile announced, long epoch, RoomMaker rooms) {
        return shared(attempt, () -> {
            if (intake.progress(announced.id()) != Progress.UNKNOWN) {
                return new Admission.Answered(new ShipAnswer.Taken());
            }
            ShipAnswer elsewhere = placement.check(announced, epoch, record().directory());
            if (elsewhere != null) {
                return new Admission.Answered(elsewhere);
            }
            Gate.Entry entry = intake.enter(announced);
            return entry.place() == null
                    ? new Admission.Answered(entry.answer())
                    : rooms.room(announced, epoch, entry.place());
        });
    }

    /** Creates the room for an admitted SST. */
    @FunctionalInterface
    interface RoomMaker {
        Admission.Room room(SstFile announced, long epoch, Gate.Place place);
    }

    /**
     * Takes an SST.
     *
     * @param place the place held for it, or null. Released when this returns.
     */
    ShipAnswer ship(long attempt, SstFile sst, long epoch, Gate.@Nullable Place place) {
        boolean handedOn = false;
        Lock shared = steps.readLock();
        shared.lock();
        try {
            ensureCurrent(attempt);
            if (intake.progress(sst.id()) == Progress.UNKNOWN) {
                ShipAnswer elsewhere = placement.check(sst, epoch, record().directory());
                if (elsewhere != null) {
                    return elsewhere;
                }
            }
            handedOn = true;
            return intake.ship(sst, place);
        } finally {
            shared.unlock();
            if (place != null && !handedOn) {
                place.leave();
            }
        }
    }

    ShipAnswer shuffle(long attempt, ShuffleBatch batch, long epoch) {
        return shared(attempt, () -> {
            ShipAnswer moved = placement.checkEpoch(epoch, record().directory());
            return moved == null ? intake.shuffle(batch) : moved;
        });
    }

    Progress progress(long attempt, UUID sst) {
        return shared(attempt, () -> intake.progress(sst));
    }

    void putCheckpoint(long attempt, String key, byte[] value) {
        shared(attempt, () -> {
            // A checkpoint record may state that taken KVs need not be sent again.
            intake.secure();
            checkpoints.add(key, value);
            context.faults().reached(FaultPoints.CHECKPOINT);
            return key;
        });
    }

    Map<String, byte[]> checkpoints(long attempt) {
        return shared(attempt, checkpoints::all);
    }

    IngestReport finalizeIngest(long attempt) {
        return cancellable(attempt, () -> {
            IngestReport report = intake.finalizeIngest();
            context.faults().reached(FaultPoints.FINALIZED);
            return report;
        });
    }

    List<IndexChecksum> present(long attempt) {
        return cancellable(attempt, intake::present);
    }

    TableDigest readBack(long attempt, List<KeySpan> spans) {
        return cancellable(attempt, () -> {
            TableDigest read = TableSweep.digest(family(), table(), spans, context.readThreads());
            return intake.readBack(read, spans);
        });
    }

    /** The steps of an append; null when the table is new. */
    @Nullable
    AppendPart appendOf(long attempt) {
        AppendIntake adding = append;
        return adding == null ? null : new Appending(attempt, adding);
    }

    /** The steps of an append for one attempt, under the lock of the import. */
    private final class Appending implements AppendPart {
        private final long attempt;
        private final AppendIntake adding;

        Appending(long attempt, AppendIntake adding) {
            this.attempt = attempt;
            this.adding = adding;
        }

        @Override
        public OverlapReport checkOverlap(long skip, int mostCollisions) {
            return cancellable(attempt, () -> adding.checkOverlap(skip, mostCollisions));
        }

        @Override
        public List<OverlapReport.@Nullable Holder> holders(List<OverlapReport.IndexKey> keys) {
            return alone(attempt, () -> adding.holders(keys));
        }

        @Override
        public void replace(List<byte[]> primaryKeys) {
            alone(attempt, () -> {
                adding.replaceAll(attempt, AppendPart.rowsOf(primaryKeys));
                return primaryKeys;
            });
        }

        @Override
        public void replaceRows(long list, boolean first, List<OverlapReport.Holder> rows) {
            alone(attempt, () -> {
                adding.replace(new AppendIntake.ListId(attempt, list), first, rows);
                return rows;
            });
        }

        @Override
        public void prepare(String owner, List<IndexChecksum> after) {
            alone(attempt, () -> {
                adding.prepare(owner, after);
                context.faults().reached(FaultPoints.PREPARED);
                return after;
            });
        }
    }

    /** Renews the lease without waiting for a running step. No effect of an attempt that has ended. */
    void renew(long attempt) {
        if (!context.store().closed() && attempt == latestAttempt()) {
            touch(record());
        }
    }

    void publish(long attempt, List<IndexChecksum> imported) {
        Lock alone = steps.writeLock();
        alone.lock();
        try {
            // The call may repeat one that was still running when it began.
            if (state == State.PUBLISHED) {
                return;
            }
            ensureCurrent(attempt);
            intake.ensureFinalized();
            publish(imported, false);
        } finally {
            alone.unlock();
        }
    }

    /**
     * Publishes by a decision that cannot be refused, whichever attempt is the latest. Cancels a running step, since
     * the cluster's log waits: no client needs a step of an import that is published.
     *
     * @return false if the import has ended
     */
    boolean publishDecided(List<IndexChecksum> imported) {
        Lock alone = steps.writeLock();
        step.cancelAndLock(alone, () -> state == State.OPEN && !context.store().closed());
        try {
            if (state != State.OPEN || context.store().closed()) {
                return false;
            }
            // A node that was started again since then does not know that everything is ingested.
            IngestReport unused = intake.finalizeIngest();
            publish(imported, true);
            return true;
        } finally {
            alone.unlock();
        }
    }

    private void publish(List<IndexChecksum> imported, boolean decided) {
        context.faults().reached(FaultPoints.BEFORE_PUBLISH);
        if (decided) {
            context.catalog().publishing(opened.table().id());
            intake.decided(imported);
        } else {
            intake.publishing(imported);
        }
        context.catalog().publish(opened.id(), imported, context.clock().millis());
        state = State.PUBLISHED;
        imports.removeOpen(opened.id());
        intake.published();
        removeStaging();
        context.faults().reached(FaultPoints.PUBLISHED);
    }

    /**
     * Removes the staging directory after the publication. A failure is only logged: the table is published, and
     * opening the store again removes an empty directory.
     */
    private void removeStaging() {
        try {
            Staging.remove(context.staging(), opened.id());
        } catch (OperationFailedException e) {
            LOG.warn("{}; it is removed when the store is opened next", e.getMessage());
        }
    }

    /**
     * Detaches the client from the import, and cancels its running step, which can be repeated. No effect on an import
     * that is published.
     */
    void detach(long attempt) {
        step.cancelAndLock(steps.writeLock(), () -> !context.store().closed() && attempt == latestAttempt());
        try {
            if (state != State.PUBLISHED) {
                ensureCurrent(attempt);
                if (!finishEntered()) {
                    intake.left();
                }
            }
        } finally {
            steps.writeLock().unlock();
        }
    }

    /**
     * Undoes the import and restarts it under its id. Returns null when the import is resumable, or has ingested KVs
     * into a shared column family.
     */
    @Nullable
    NodeSession restart(long attempt) {
        return alone(attempt, () -> {
            ImportRecord now = record();
            if (now.claim() != null || (!now.ownsFamily() && now.mayHaveIngested())) {
                return null;
            }
            state = State.CLOSED;
            intake.undoing();
            return imports.restart(now);
        });
    }

    /** Undoes the import unless it has ended or a later attempt has begun, and cancels its running step. */
    void close(long attempt) {
        Lock alone = steps.writeLock();
        step.cancelAndLock(alone, () -> !context.store().closed() && attempt == latestAttempt());
        try {
            // If the store was closed first, recovery decides when the store is opened again.
            if (state == State.OPEN && !context.store().closed() && attempt == latestAttempt()) {
                if (context.catalog().awaitsDecision(record())) {
                    throw new TableBusyException("the append to table " + table().name()
                            + " may be published by an entry of the cluster's log; try again in some seconds");
                }
                if (!finishEntered()) {
                    state = State.CLOSED;
                    intake.undoing();
                    imports.undo(record());
                }
            }
        } finally {
            alone.unlock();
        }
    }

    /**
     * Publishes an append whose rows are in the table already: that cannot be undone. Before compactions are resumed,
     * which join its files with others, so that no one could find out any more.
     *
     * @return whether it was one
     */
    private boolean finishEntered() {
        List<IndexChecksum> after = append == null ? null : append.entered();
        if (after != null) {
            publish(after, true);
        }
        return after != null;
    }

    private <T> T shared(long attempt, Supplier<T> step) {
        return locked(steps.readLock(), attempt, step);
    }

    private <T> T alone(long attempt, Supplier<T> step) {
        return locked(steps.writeLock(), attempt, step);
    }

    /**
     * Runs a cancellable step exclusively, so that {@link #close} and {@link #detach} can cancel it. The step can be
     * repeated.
     */
    private <T> T cancellable(long attempt, Supplier<T> work) {
        return alone(attempt, () -> step.run(work));
    }

    private <T> T locked(Lock lock, long attempt, Supplier<T> step) {
        lock.lock();
        try {
            ensureCurrent(attempt);
            return step.get();
        } finally {
            lock.unlock();
        }
    }

    private void ensureCurrent(long attempt) {
        if (context.store().closed()) {
            throw new IllegalStateException("the store is closed");
        }
        if (state != State.OPEN) {
            throw new OperationFailedException("the import of table " + table().name() + " is over: it was "
                    + (state == State.PUBLISHED ? "published" : "undone"));
        }
        ImportRecord now = record();
        FencingToken claim = now.claim();
        if (claim == null) {
            return;
        }
        if (claim.attempt() != attempt) {
            throw new OperationFailedException("attempt " + attempt + " at import " + claim.importId() + " of table "
                    + table().name() + " is stale: attempt " + claim.attempt()
                    + " has superseded it; let that one continue, or begin a new attempt");
        }
        touch(now);
    }

    private void touch(ImportRecord now) {
        FencingToken claim = now.claim();
        long millis = context.clock().millis();
        if (claim != null && millis - claim.touchedAtMillis() > imports.leaseMillis(now) / TOUCHES_PER_LEASE) {
            context.catalog().imports().touch(opened.id(), millis);
        }
    }

    private Family family() {
        return context.store().family(opened.family());
    }
}
