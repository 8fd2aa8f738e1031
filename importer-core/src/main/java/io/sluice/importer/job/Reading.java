package io.sluice.importer.job;

import io.sluice.api.schema.Table;
import io.sluice.importer.conflict.DroppedRows;

/**
 * What reading the input needs of an import: all that does not depend on where the KVs go.
 *
 * @param dropped rows to be left out, because other rows have their keys
 * @param cap how fast all workers together may read
 */
record Reading(
        Table table,
        ImportSettings settings,
        MemoryPlan memory,
        ImportProgress progress,
        DroppedRows dropped,
        RateCap cap) {
    /** As fast as the settings allow. */
    Reading(Table table, ImportSettings settings, MemoryPlan memory, ImportProgress progress, DroppedRows dropped) {
        this(table, settings, memory, progress, dropped, new RateCap(settings.bytesPerSecond()));
    }

    /** Of all rows. */
    Reading(Table table, ImportSettings settings, MemoryPlan memory, ImportProgress progress) {
        this(table, settings, memory, progress, DroppedRows.NONE);
    }
}
