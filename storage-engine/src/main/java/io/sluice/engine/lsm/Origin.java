package io.sluice.engine.lsm;

/** The origin of a file in the tree. */
public enum Origin {
    /** Ingested as a file. */
    INGESTED,
    /** Flushed from a memtable or the small-SST buffer. */
    FLUSHED,
    /** Written by a compaction. */
    COMPACTED,
    /** Present when the history began. */
    BEFORE
}
