package io.sluice.node.ingest;

/** Receives the durable steps of an import, so that tests can stop it there. Production code passes {@link #none}. */
@FunctionalInterface
public interface FaultPoints {
    /** A new import is in the catalog; its column family and its staging directory do not exist yet. */
    String BEGUN = "begun";
    /** A new attempt at an import is in the catalog. */
    String RESUMED = "resumed";
    /** The ranges of an import's keys are in the catalog. */
    String ASSIGNED = "assigned";
    /** A checkpoint record is in the catalog. */
    String CHECKPOINT = "checkpoint";
    /** An SST has its name in staging, and is not verified yet. */
    String MOVED = "moved";
    /** An SST matches its announcement. */
    String VERIFIED = "verified";
    /** The names of staged SSTs are durable. */
    String SYNCED = "synced";
    /** An SST was verified and staged. */
    String SHIPPED = "shipped";
    /** A batch of KVs is in the shuffle buffer. */
    String BUFFERED = "buffered";
    /** The buffered KVs are in staging as SSTs; the buffer still exists. */
    String SORTED = "sorted";
    /** The receipt of an SST is durable; its sender does not know it yet. */
    String RECEIPT = "receipt";
    /** The intent to ingest is durable; nothing is in the tree. */
    String INTENT = "intent";
    /** The files are in the tree; the catalog does not know it yet. */
    String INGESTED = "ingested";
    /** A compaction is about to begin, on its own thread. */
    String MERGE = "merge";
    /** A small-SST buffer was written to SSTs that are not ingested yet. */
    String FLUSHED = "flushed";
    /** The SSTs of a small-SST buffer are in the tree; the buffer still exists. */
    String FLUSH_INGESTED = "flush-ingested";
    /** All shipped SSTs are in the tree, and compacted if they overlapped; no record of this exists yet. */
    String FINALIZED = "finalized";
    /** An append to key ranges waits for the entry of the cluster's log that publishes it. */
    String PREPARED = "prepared";
    /** Only the write that makes the table visible is missing. */
    String BEFORE_PUBLISH = "before-publish";
    /** The table is visible; the caller does not know it yet. */
    String PUBLISHED = "published";

    /** The record that an import is being removed is durable; nothing is removed yet. */
    String REMOVING = "removing";
    /** The files of an import that is removed are gone; its record is still there. */
    String REMOVED = "removed";

    /** Called at a point. An exception from it reaches the caller of the step. */
    void reached(String point);

    static FaultPoints none() {
        return point -> {};
    }
}
