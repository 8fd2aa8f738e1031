package io.sluice.engine.compact;

/** The compaction policy of a table. */
public enum CompactionMode {
    /** An import runs and no client reads: compact only when levels run out. */
    OFFLINE,
    /** The last step of an import: compact all overlapping files once, so that every key has height 1. */
    FINAL,
    /** Clients read the table: keep every stack low. */
    ONLINE
}
