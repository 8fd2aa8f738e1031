package io.sluice.importer.job;

import io.sluice.api.schema.Table;
import io.sluice.importer.ship.Shipper;
import io.sluice.importer.sort.ConflictLog;
import io.sluice.importer.sort.MemoryBudget;
import io.sluice.importer.sort.RunStore;
import io.sluice.importer.sst.SstFormat;

/** What the parts of one running import share. The import owns what is in it. */
record ImportContext(
        Table table,
        ImportSettings settings,
        MemoryPlan memory,
        ImportProgress progress,
        ConflictLog conflicts,
        MemoryBudget runBudget,
        SstFormat sstFormat,
        Shipper shipper) {
    /** The same import with another progress and budget. */
    ImportContext with(ImportProgress otherProgress, MemoryBudget otherBudget) {
        return new ImportContext(table, settings, memory, otherProgress, conflicts, otherBudget, sstFormat, shipper);
    }

    /** What reading the input needs of it. */
    Reading reading() {
        return new Reading(table, settings, memory, progress);
    }

    RunStore.Settings runSettings() {
        return new RunStore.Settings(settings.workDirectory(), memory.mergeFanIn(), memory.mergeBlockBytes());
    }
}
