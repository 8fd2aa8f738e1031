package io.sluice.node.lsm;

/** How a file came into the tree. */
public enum Origin {
    /** It came from outside as a file. */
    INGESTED,
    /** It was written from memory: a memtable, or what had been Put into the landing column family. */
    FLUSHED,
    /** It was merged from other files. */
    COMPACTED,
    /** It was there when the history began. */
    BEFORE
}
