package io.sluice.node.admit;

/** What RocksDB does to writes at the moment. */
public enum WriteStall {
    /** Nothing. */
    NONE,
    /** It delays them. */
    DELAYED,
    /** It holds them until something changes. */
    STOPPED
}
