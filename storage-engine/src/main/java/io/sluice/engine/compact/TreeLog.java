package io.sluice.engine.compact;

import io.sluice.engine.store.LsmFile;
import io.sluice.engine.store.MergeResult;
import java.util.List;

/** Receives the events of a store's trees, in the order of their occurrence in each tree. Must be fast. */
public interface TreeLog {
    /** The first refresh of a tree found these files. */
    default void began(String family, List<LsmFile> files) {}

    /** The source of new files in a tree, except compactions. */
    enum Cause {
        /** Ingested as sent. */
        INGESTED,
        /** Written from a memtable. */
        FLUSHED,
        /** Flushed from the small-SST buffer and ingested. */
        SMALL_SST_FLUSH
    }

    /** Files have entered the tree since the last refresh. */
    default void came(String family, Cause cause, List<LsmFile> files) {}

    /** KVs were Put into the small-SST buffer, and will enter the tree later. */
    default void put(String family, long kvs, long bytes) {}

    /**
     * An import begins to fill the tree with KVs of this table: later events belong to that table, until the import
     * ends.
     */
    default void filling(String family, String table) {}

    /** The table of the tree is visible. */
    default void published(String family, String table) {}

    /** The tree was dropped. */
    default void dropped(String family) {}

    /** A compaction begins. */
    default void mergeBegan(String family, long job, CompactionPick pick) {}

    /** A compaction has replaced its inputs by these files. */
    default void mergeEnded(String family, long job, MergeResult result, List<LsmFile> outputs) {}

    /** A compaction did not run, because an SST was entering the same keys; it will be picked again. */
    default void mergePutOff(String family, long job) {}

    /** A compaction has failed; its inputs are unchanged, and it will be retried. */
    default void mergeFailed(String family, long job, CompactionPick pick, String reason, long againAfterMillis) {}

    /** A flush of the small-SST buffer has failed; the buffer is kept, and the flush will be retried. */
    default void smallSstFlushFailed(String family, String reason, long againAfterMillis) {}

    /** A log that ignores all events. */
    static TreeLog none() {
        return new TreeLog() {};
    }
}
