package io.sluice.api.node;

/** When what was shipped enters the LSM tree. */
public enum IngestTiming {
    /** All at once, in {@link ImportSession#finalizeIngest}: for SSTs that do not overlap. Nothing is deferred. */
    AT_END,
    /** Each as it comes, at the pace that the node's admission allows: for SSTs in any order, overlapping or not. */
    ON_ARRIVAL,
    /**
     * The node gets KVs in any order ({@link ImportSession#shuffle}), buffers and sorts them, and makes SSTs that do
     * not overlap, which enter the tree in {@link ImportSession#finalizeIngest}.
     */
    SHUFFLED
}
