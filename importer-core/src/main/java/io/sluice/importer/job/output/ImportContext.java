package io.sluice.importer.job.output;

import io.sluice.api.node.ImportSession;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.Stage;
import io.sluice.importer.job.read.MemoryPlan;
import io.sluice.importer.job.read.Reading;
import io.sluice.importer.ship.Shipper;
import io.sluice.importer.sort.ConflictLog;
import io.sluice.importer.sort.MemoryBudget;
import io.sluice.importer.sort.RunStore;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.schema.Table;
import java.util.List;

/** The state that the parts of one running import share. The import owns and closes its members. */
public record ImportContext(
        Reading reading,
        ConflictLog conflicts,
        MemoryBudget runBudget,
        SstFormat sstFormat,
        Shipper shipper,
        ImportSession session,
        KeyBorders borders) {
    /** Returns a copy that reads all input again, with another progress and a new budget. */
    public ImportContext readingAgain(ImportProgress otherProgress) {
        return new ImportContext(
                new Reading(table(), reading.encoders(), settings(), memory(), otherProgress, reading.dropped()),
                conflicts,
                new MemoryBudget(memory().runBytes()),
                sstFormat,
                shipper,
                session,
                borders);
    }

    public Table table() {
        return reading.table();
    }

    public ImportSettings settings() {
        return reading.settings();
    }

    public MemoryPlan memory() {
        return reading.memory();
    }

    public ImportProgress progress() {
        return reading.progress();
    }

    /** Waits until nodes have taken all SSTs under way; the time counts as stage {@code disk}. */
    void awaitShipped() throws InterruptedException {
        long start = System.nanoTime();
        shipper.awaitAll();
        progress().spent(Stage.DISK, System.nanoTime() - start);
    }

    /**
     * Asks the node for the keys at which SSTs of an index must be cut, since different nodes hold the keys before and
     * after them.
     *
     * @param ordinal of the index
     * @param proposed keys that split the index's KVs evenly
     */
    List<byte[]> chooseCuts(int ordinal, List<byte[]> proposed) {
        List<byte[]> borders = new IndexKeys(table()).borders(ordinal, proposed);
        return session.chooseCuts(table().indexes().get(ordinal).def().id(), borders);
    }

    RunStore.Settings runSettings() {
        return new RunStore.Settings(
                settings().resources().workDirectory(), memory().mergeFanIn(), memory().mergeBlockBytes());
    }
}
