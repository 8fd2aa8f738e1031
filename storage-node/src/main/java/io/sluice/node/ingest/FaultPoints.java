package io.sluice.node.ingest;

/**
 * Told when an import passes from one durable step to the next, so that tests can end it there. Production code passes
 * {@link #none}.
 */
@FunctionalInterface
public interface FaultPoints {
    /** An SST was verified and staged. */
    String SHIPPED = "shipped";
    /** A batch of KVs was taken, to be sorted here. */
    String BUFFERED = "buffered";
    /** What was buffered lies in staging as SSTs; the buffer is still there. */
    String SORTED = "sorted";
    /** The intent to ingest is durable; nothing is in the tree. */
    String INTENT = "intent";
    /** The files are in the tree; the catalog does not know it yet. */
    String INGESTED = "ingested";
    /** A merge is about to begin, on its own thread. */
    String MERGE = "merge";
    /** A landing column family was written to SSTs that are not ingested yet. */
    String DRAINED = "drained";
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
