package io.sluice.node.ingest;

/** The progress of an SST on a node. */
public enum Progress {
    /** Not on the node: the importer ships it, or ships it again. */
    UNKNOWN,
    /** Verified and staged, durably; it enters the tree when the import is finalized. */
    STAGED,
    /** Its KVs are in the tree, or in a small-SST buffer, durably. */
    INGESTED
}
