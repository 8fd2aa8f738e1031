package io.sluice.engine.store;

import java.util.List;

/**
 * The result of a compaction.
 *
 * @param inputs names of the files it replaced, including those that RocksDB added
 * @param outputs names of the files that replace them
 * @param bytesWritten length of the outputs
 */
public record MergeResult(List<String> inputs, List<String> outputs, long bytesWritten) {
    public MergeResult {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }
}
