package io.sluice.node.ingest;

/** How far a node is with an SST of an import. */
public enum Progress {
    /** Not here: to be shipped, or shipped again. */
    UNKNOWN,
    /** Verified and staged, durably; it enters the tree when the import is settled. */
    STAGED,
    /** Its KVs are in the tree, or in a landing column family, durably. */
    INGESTED
}
