package io.sluice.node.store;

import org.rocksdb.ReadOptions;

/** How KVs will be read, which decides about readahead and the block cache. */
public enum ReadPattern {
    /** Rows for a user, who may want them again. */
    SCAN {
        @Override
        void tune(ReadOptions options) {}
    },
    /** Everything once, as verification does: read far ahead, and leave the cache to those who read again. */
    SWEEP {
        @Override
        void tune(ReadOptions options) {
            options.setFillCache(false).setReadaheadSize(SWEEP_READAHEAD_BYTES);
        }
    };

    /** Large enough that a spinning disk streams, small enough for a few dozen cursors. */
    private static final long SWEEP_READAHEAD_BYTES = 2 << 20;

    abstract void tune(ReadOptions options);
}
