package io.sluice.node.ingest;

/**
 * Told when an import passes from one durable step to the next, so that tests can end it there. Production code passes
 * {@link #none}.
 */
@FunctionalInterface
public interface FaultPoints {
    /** A new import is in the catalog; its column family and its staging directory are not made yet. */
    String BEGUN = "begun";
    /** A new attempt at an import is in the catalog. */
    String RESUMED = "resumed";
    /** The ranges of an import's keys are in the catalog. */
    String ASSIGNED = "assigned";
    /** A note for whoever resumes an import is in the catalog. */
    String NOTED = "noted";
    /** An SST has its name in staging, and was not looked at. */
    String MOVED = "moved";
    /** An SST was found to be what was announced. */
    String VERIFIED = "verified";
    /** The names of staged SSTs are durable. */
    String SYNCED = "synced";
    /** An SST was verified and staged. */
    String SHIPPED = "shipped";
    /** A batch of KVs was taken, to be sorted here. */
    String BUFFERED = "buffered";
    /** What was buffered lies in staging as SSTs; the buffer is still there. */
    String SORTED = "sorted";
    /** The receipt of an SST is durable; its sender does not know it yet. */
    String RECEIPT = "receipt";
    /** The intent to ingest is durable; nothing is in the tree. */
    String INTENT = "intent";
    /** The files are in the tree; the catalog does not know it yet. */
    String INGESTED = "ingested";
    /** A merge is about to begin, on its own thread. */
    String MERGE = "merge";
    /** A landing column family was written to SSTs that are not ingested yet. */
    String DRAINED = "drained";
    /** SSTs of a landing column family are in the tree; the family is there still. */
    String DRAIN_INGESTED = "drain-ingested";
    /** All that was shipped is in the tree, and merged if it overlapped; nothing says so. */
    String FINALIZED = "finalized";
    /** Everything is in place but the one write that makes the table visible. */
    String BEFORE_PUBLISH = "before-publish";
    /** The table is visible; the caller does not know it yet. */
    String PUBLISHED = "published";

    /** Reports a point. What it throws goes up to whoever called the step. */
    void reached(String point);

    static FaultPoints none() {
        return point -> {};
    }
}
