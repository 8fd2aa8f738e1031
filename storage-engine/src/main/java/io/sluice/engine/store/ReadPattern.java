package io.sluice.engine.store;

import org.rocksdb.ReadOptions;

/** An access pattern of reads, which sets readahead and the use of the block cache. */
public enum ReadPattern {
    /** Reads of rows that may be repeated: they fill the block cache. */
    SCAN {
        @Override
        void tune(ReadOptions options) {}
    },
    /** One pass over everything, as verification does: far readahead, without filling the block cache. */
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
