package io.sluice.api.node;

/** When SSTs that were shipped enter the LSM tree. */
public enum IngestTiming {
    /** All at once, in {@link ImportSession#settle}: for SSTs that do not overlap. Nothing is deferred. */
    AT_END,
    /** Each as it comes, at the pace that the node's admission allows: for SSTs in any order, overlapping or not. */
    ON_ARRIVAL
}
