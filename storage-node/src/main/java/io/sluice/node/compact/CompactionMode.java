package io.sluice.node.compact;

/** What a table needs of compaction now. */
public enum CompactionMode {
    /** An import runs and nobody reads: leave the tree alone until its levels run out. */
    OFFLINE,
    /** The import's last step: merge all that overlaps, once, so that every key has height 1. */
    FINAL,
    /** The table is read: keep every stack low. */
    ONLINE
}
