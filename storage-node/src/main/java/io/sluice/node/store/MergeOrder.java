package io.sluice.node.store;

import java.util.List;

/**
 * A merge to be done by {@link Family#merge}.
 *
 * @param inputs names of files; RocksDB adds the older ones between them and the output level that they need
 * @param outputLevel where the result goes
 * @param outputFileBytes size at which an output file ends
 * @param threads into how many parts it may be divided
 */
public record MergeOrder(List<String> inputs, int outputLevel, long outputFileBytes, int threads) {
    public MergeOrder {
        inputs = List.copyOf(inputs);
    }
}
