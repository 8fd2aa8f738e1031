package io.sluice.importer.job.read;

import io.sluice.importer.conflict.DroppedRows;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.schema.Table;
import java.util.List;
import java.util.function.Supplier;

/**
 * The part of an import's state that reading needs; independent of the KVs' destination.
 *
 * @param encoders creates the encoders of all indexes for one worker
 * @param dropped rows to leave out, which lost a conflict
 */
public record Reading(
        Table table,
        Supplier<List<? extends KvEncoder>> encoders,
        ImportSettings settings,
        MemoryPlan memory,
        ImportProgress progress,
        DroppedRows dropped) {}
