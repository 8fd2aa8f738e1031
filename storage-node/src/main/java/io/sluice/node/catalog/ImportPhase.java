package io.sluice.node.catalog;

/**
 * The phase of an import, for recovery.
 *
 * <pre>
 *   RECEIVING --intent--> INGESTING --ingested--> INGESTED --publish--> (no record, but a table)
 *       ^                                            |
 *       +----------------- more SSTs ----------------+   (straight to INGESTING again)
 * </pre>
 */
public enum ImportPhase {
    /** SSTs arrive; none is in the LSM tree. */
    RECEIVING,
    /** Some, all or none of the files named in the record are in the LSM tree. */
    INGESTING,
    /** All shipped SSTs are in the LSM tree, invisible. */
    INGESTED
}
