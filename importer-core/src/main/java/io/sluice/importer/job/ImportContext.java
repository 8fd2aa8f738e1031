package io.sluice.importer.job;

import io.sluice.api.node.ImportSession;
import io.sluice.importer.conflict.DroppedRows;
import io.sluice.importer.ship.Shipper;
import io.sluice.importer.sort.ConflictLog;
import io.sluice.importer.sort.MemoryBudget;
import io.sluice.importer.sort.RunStore;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.schema.Table;
import java.util.List;

/** The state that the parts of one running import share. The import owns and closes its members. */
record ImportContext(
        Table table,
        ImportSettings settings,
        MemoryPlan memory,
        ImportProgress progress,
        ConflictLog conflicts,
        MemoryBudget runBudget,
        SstFormat sstFormat,
        Shipper shipper,
        ImportSession session,
        DroppedRows dropped,
        KeyBorders borders) {
    /** Returns a copy with another progress and budget. */
    ImportContext with(ImportProgress otherProgress, MemoryBudget otherBudget) {
        return new ImportContext(
                table,
                settings,
                memory,
                otherProgress,
                conflicts,
                otherBudget,
                sstFormat,
                shipper,
                session,
                dropped,
                borders);
    }

    /** The part that reading the input needs. */
    Reading reading() {
        return new Reading(table, settings, memory, progress, dropped);
    }

    /** Waits until nodes have taken all SSTs under way; the time counts as stage {@code disk}. */
    void awaitShipped() throws InterruptedException {
        long start = System.nanoTime();
        shipper.awaitAll();
        progress.spent(Stage.DISK, System.nanoTime() - start);
    }

    /**
     * Asks the node for the keys at which SSTs of an index must be cut, since different nodes hold the keys before and
     * after them.
     *
     * @param ordinal of the index
     * @param proposed keys that split the index's KVs evenly
     */
    List<byte[]> chooseCuts(int ordinal, List<byte[]> proposed) {
        return session.chooseCuts(table.indexes().get(ordinal).def().id(), proposed);
    }

    RunStore.Settings runSettings() {
        return new RunStore.Settings(settings.workDirectory(), memory.mergeFanIn(), memory.mergeBlockBytes());
    }
}
