package io.sluice.engine.store;

import java.util.List;

/**
 * A compaction for {@link Family#merge} to run.
 *
 * @param inputs names of files; RocksDB adds the older files between them and the output level that overlap them
 * @param outputLevel level of the output files
 * @param outputFileBytes target size of an output file
 * @param threads number of subcompactions that may run in parallel
 */
public record MergeOrder(List<String> inputs, int outputLevel, long outputFileBytes, int threads) {
    public MergeOrder {
        inputs = List.copyOf(inputs);
    }
}
