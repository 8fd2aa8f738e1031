package io.sluice.node.cache;

/**
 * What a cache has done since it was made, and what it holds. Taken while it is used: figures may be of slightly
 * different moments.
 *
 * @param hits lookups that found what they wanted
 * @param misses lookups that did not
 * @param fills rows that were read after a miss and kept
 * @param refused rows that were not kept, because they may have been updated while they were read, or are too large
 * @param evicted rows that had to make room
 * @param invalidated rows that stopped to hold
 * @param entries rows in it
 * @param bytes memory that these take
 * @param ended those among them that no longer hold, and are kept for snapshots
 */
public record CacheStatistics(
        long hits,
        long misses,
        long fills,
        long refused,
        long evicted,
        long invalidated,
        long entries,
        long bytes,
        long ended) {
    /** Of a node that has no cache. */
    public static final CacheStatistics NONE = new CacheStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** The share of lookups that were hits, 0 when there was none. */
    public double hitRate() {
        return hits + misses == 0 ? 0 : (double) hits / (hits + misses);
    }
}
