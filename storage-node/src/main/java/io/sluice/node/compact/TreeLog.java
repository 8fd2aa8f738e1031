package io.sluice.node.compact;

import io.sluice.node.store.LiveSst;
import io.sluice.node.store.MergeResult;
import java.util.List;

/** Told of what happens to the trees of a store, in the order in which it happened to each. Must be quick. */
public interface TreeLog {
    /** The tree is looked at for the first time, and holds these files. */
    default void began(String family, List<LiveSst> files) {}

    /** Files have come into the tree since it was looked at last. */
    default void came(String family, List<LiveSst> files) {}

    /** A merge begins. */
    default void mergeBegan(String family, long job, CompactionPick pick) {}

    /** A merge has replaced its inputs by these files. */
    default void mergeEnded(String family, long job, MergeResult result, List<LiveSst> outputs) {}

    /** A merge has failed; its inputs are in place, and it will be tried again. */
    default void mergeFailed(String family, long job, CompactionPick pick, String reason, long againAfterMillis) {}

    /** Keeps nothing. */
    static TreeLog none() {
        return new TreeLog() {};
    }
}
