package io.sluice.engine.admit;

/** A signal that can keep an SST from entering. */
public enum Limiter {
    /** SSTs above each other over this SST's own keys. */
    HEIGHT,
    /** SSTs on the node. */
    FILES,
    /** Bytes that compactions still have to rewrite. */
    COMPACTION,
    /** Bytes received and not ingested yet. */
    STAGING,
    /** Free space. */
    DISK,
    /** RocksDB slows down or stops writes. */
    STALL,
    /** Size of the SST, above the largest that the node accepts. */
    SST_SIZE
}
