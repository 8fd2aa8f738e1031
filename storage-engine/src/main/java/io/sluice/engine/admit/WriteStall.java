package io.sluice.engine.admit;

/** The current write stall of RocksDB. */
public enum WriteStall {
    /** Writes run at full speed. */
    NONE,
    /** RocksDB delays writes. */
    DELAYED,
    /** RocksDB blocks writes until flushes or compactions catch up. */
    STOPPED
}
