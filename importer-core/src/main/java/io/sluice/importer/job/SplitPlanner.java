package io.sluice.importer.job;

import io.sluice.importer.encode.KvTarget;
import java.util.List;

/**
 * Sees every KV of the input once, and proposes keys that divide each index into parts of about equal bytes. Made by
 * the caller of an import: how keys are sampled is not the import's affair.
 */
public interface SplitPlanner {
    /**
     * Where one more worker's KVs go, one target per index in the table's order. What is written into a target is read
     * only while it is told so; it keeps no KVs. Called once for each worker, before the first row.
     */
    List<? extends KvTarget> newWorker();

    /**
     * The keys at which an index may be divided, ascending, no two the same; fewer where there are few keys. Called
     * when all workers are done.
     *
     * @param index the index's place in the table's order
     */
    List<byte[]> splitKeys(int index);

    /** What was sampled, in a few words for the report; names the seed. */
    String describe();
}
