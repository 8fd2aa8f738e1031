package io.sluice.api.node;

/** The time at which shipped SSTs or KVs enter the LSM tree. */
public enum IngestTiming {
    /** {@link ImportSession#finalizeIngest} ingests all SSTs at once; they must not overlap. No SST is deferred. */
    AT_END,
    /** The node ingests each SST on arrival, at the pace that admission allows; SSTs may overlap, in any order. */
    ON_ARRIVAL,
    /**
     * The node receives KVs in any order ({@link ImportSession#shuffle}), and buffers and sorts them.
     * {@link ImportSession#finalizeIngest} writes them as SSTs that do not overlap, and ingests those.
     */
    SHUFFLED
}
