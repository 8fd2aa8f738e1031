package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.cache.CacheStatistics;

/** Counts events that a random test must have seen to be meaningful. */
final class SeenAtRandom {
    int conflicts;
    int transactions;
    int background;
    int failedInBackground;
    int manyBySpan;
    int old;
    int imports;
    private int stores;
    private long hits;
    private long evicted;
    private long invalidated;
    private long converted;

    /** Adds up what a store has counted, which is about to be closed. */
    void store(SqlStore store) {
        CacheStatistics cache = store.node().store().rowCache();
        stores++;
        hits += cache.hits();
        evicted += cache.evicted();
        invalidated += cache.invalidated();
        converted += store.node().store().tombstoneConversions().made();
    }

    /** Whether every event was seen; those of stores that are still open do not count. */
    boolean enough() {
        return conflicts > 0
                && background > 0
                && failedInBackground > 0
                && manyBySpan > 0
                && old > 0
                && imports > 0
                && hits > 0
                && evicted > 0
                && invalidated > 0
                && converted > 0;
    }

    void ensureEnough(String context) {
        assertTrue(enough() && conflicts * 2 < transactions, context + ": " + this);
    }

    @Override
    public String toString() {
        return transactions + " transactions, " + conflicts + " conflicts; " + background
                + " statements in the background, " + failedInBackground + " times one failed; " + manyBySpan
                + " deletes of many rows by span; " + old + " reads of a snapshot that others have written since; "
                + imports + " imports; " + stores + " times opened; row cache: " + hits + " hits, " + evicted
                + " evicted, " + invalidated + " invalidated; " + converted + " runs of tombstones converted";
    }
}
