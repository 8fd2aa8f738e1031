package io.sluice.importer.job;

import io.sluice.importer.encode.KvTarget;
import java.util.List;

/**
 * Samples all KVs of the input, and proposes keys that split each index into parts of about equal bytes. The caller of
 * an import provides the planner and decides how to sample.
 */
public interface SplitPlanner {
    /**
     * Creates the targets of one more worker, one per index in the table's order. A target reads a KV only during the
     * call that adds it, and keeps no KVs. Called once per worker, before the first row.
     */
    List<? extends KvTarget> newWorker();

    /**
     * The keys at which an index may be split, ascending and distinct; fewer if the index has few keys. Called after
     * all workers are done.
     *
     * @param index position of the index in the table
     */
    List<byte[]> splitKeys(int index);

    /** Describes the sample for the report, including the seed. */
    String describe();
}
