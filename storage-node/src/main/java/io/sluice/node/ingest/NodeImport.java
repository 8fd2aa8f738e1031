package io.sluice.node.ingest;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexSum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableDigest;
import io.sluice.api.schema.Table;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.read.TableSweep;
import io.sluice.node.store.Family;
import java.util.List;
import java.util.Map;
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
 *   <li>{@link #ship}: an SST is checked and taken, any number of them at a time;
 *   <li>{@link #settle}: all that was taken is in the tree;
 *   <li>{@link #present}, {@link #readBack}: what is there, for the importer to compare;
 *   <li>{@link #publish}: one write, and the table is there for everybody.
 * </ol>
 *
 * <p>How the SSTs get into the tree is the {@link Intake}'s. Shipping takes the lock shared; the steps that need the
 * files to stand still take it alone.
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
    private final Intake intake;
    private final ReadWriteLock steps = new ReentrantReadWriteLock();
    private State state = State.OPEN;

    NodeImport(ImportContext context, Imports imports, Intake intake) {
        this.context = context;
        this.imports = imports;
        this.intake = intake;
    }

    @Override
    public Table table() {
        return intake.running().table();
    }

    @Override
    public boolean resumed() {
        return false;
    }

    @Override
    public RangeDirectory directory() {
        return RangeDirectory.UNDIVIDED;
    }

    @Override
    public void assign(RangeDirectory directory) {
        throw new UnsupportedOperationException("divided tables: not available yet");
    }

    @Override
    public ShipAnswer shuffle(ShuffleBatch batch, long epoch) {
        Lock shared = steps.readLock();
        shared.lock();
        try {
            ensureOpen();
            return intake.shuffle(batch);
        } finally {
            shared.unlock();
        }
    }

    @Override
    public void note(String key, byte[] value) {
        throw new UnsupportedOperationException("notes: not available yet");
    }

    @Override
    public Map<String, byte[]> notes() {
        return Map.of();
    }

    @Override
    public void detach() {
        throw new UnsupportedOperationException("resuming imports: not available yet");
    }

    @Override
    public ShipAnswer ship(SstFile sst, long epoch) {
        Lock shared = steps.readLock();
        shared.lock();
        try {
            ensureOpen();
            return intake.ship(sst);
        } finally {
            shared.unlock();
        }
    }

    @Override
    public IngestReport settle() {
        return alone(intake::settle);
    }

    @Override
    public List<IndexSum> present() {
        return alone(intake::present);
    }

    @Override
    public TableDigest readBack() {
        return alone(() -> TableSweep.digest(family(), table(), context.readThreads()));
    }

    @Override
    public void publish(List<IndexSum> imported) {
        alone(() -> {
            intake.ensureSettled();
            context.faults().reached(FaultPoints.BEFORE_PUBLISH);
            long now = context.clock().millis();
            ImportRecord running = intake.running();
            context.catalog().publish(running, imported, now);
            state = State.PUBLISHED;
            intake.published();
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
            Staging.remove(context.staging(), intake.running().id());
        } catch (OperationFailedException e) {
            LOG.warn("{}; it is removed when the store is opened next", e.getMessage());
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
                intake.undoing();
                imports.undo(intake.running());
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
            throw new IllegalStateException("the import of table " + table().name() + " is over");
        }
    }

    private Family family() {
        return context.store().family(intake.running().family());
    }
}
