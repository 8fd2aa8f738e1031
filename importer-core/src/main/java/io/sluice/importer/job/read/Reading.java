package io.sluice.importer.job.read;

import io.sluice.importer.conflict.DroppedRows;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.schema.Table;
import java.util.List;
import java.util.function.Supplier;

/**
 * The part of an import's state that reading needs; independent of the KVs' destination.
 *
 * @param encoders creates the encoders of all indexes for one worker
 * @param dropped rows to leave out, which lost a conflict
 * @param cap rate limit of all workers together
 */
public record Reading(
        Table table,
        Supplier<List<? extends KvEncoder>> encoders,
        ImportSettings settings,
        MemoryPlan memory,
        ImportProgress progress,
        DroppedRows dropped,
        RateCap cap) {
    /** Creates the state with the rate limit of the settings. */
    public Reading(
            Table table,
            Supplier<List<? extends KvEncoder>> encoders,
            ImportSettings settings,
            MemoryPlan memory,
            ImportProgress progress,
            DroppedRows dropped) {
        this(
                table,
                encoders,
                settings,
                memory,
                progress,
                dropped,
                new RateCap(settings.resources().bytesPerSecond()));
    }

    /** Creates the state for a table of Sluice's, without dropped rows. */
    public Reading(Table table, ImportSettings settings, MemoryPlan memory, ImportProgress progress) {
        this(table, () -> IndexEncoder.ofAll(table), settings, memory, progress, DroppedRows.NONE);
    }
}
