package io.sluice.node.compact;

import io.sluice.node.store.LiveSst;
import io.sluice.node.store.MergeResult;
import java.util.List;

/** Told of what happens to the trees of a store, in the order in which it happened to each. Must be quick. */
public interface TreeLog {
    /** The tree is looked at for the first time, and holds these files. */
    default void began(String family, List<LiveSst> files) {}

    /** How files come into a tree, merges aside. */
    enum Cause {
        /** Ingested as they were sent. */
        INGESTED,
        /** Written from a memtable. */
        FLUSHED,
        /** Ingested after they were written from KVs that had been Put elsewhere. */
        SMALL_SST_FLUSH
    }

    /** Files have come into the tree since it was looked at last. */
    default void came(String family, Cause cause, List<LiveSst> files) {}

    /** KVs were Put that will come into the tree later. */
    default void put(String family, long kvs, long bytes) {}

    /**
     * An import fills the tree with KVs of this table: what happens from now on, until it is over, happens to that
     * table.
     */
    default void filling(String family, String table) {}

    /** The table whose KVs the tree holds can be read. */
    default void published(String family, String table) {}

    /** The tree is gone. */
    default void dropped(String family) {}

    /** A merge begins. */
    default void mergeBegan(String family, long job, CompactionPick pick) {}

    /** A merge has replaced its inputs by these files. */
    default void mergeEnded(String family, long job, MergeResult result, List<LiveSst> outputs) {}

    /** A merge did not run, because an SST was entering the same keys at that moment; it is picked anew. */
    default void mergePutOff(String family, long job) {}

    /** A merge has failed; its inputs are in place, and it will be tried again. */
    default void mergeFailed(String family, long job, CompactionPick pick, String reason, long againAfterMillis) {}

    /** What landed could not be drained into the tree; it is kept, and drained again. */
    default void smallSstFlushFailed(String family, String reason, long againAfterMillis) {}

    /** Keeps nothing. */
    static TreeLog none() {
        return new TreeLog() {};
    }
}
