package io.sluice.engine.cache;

/**
 * Statistics of a cache since its creation. They are collected during use, so figures may be of slightly different
 * times.
 *
 * @param hits lookups that found a valid row
 * @param misses lookups that found none
 * @param fills rows that were added after a miss
 * @param refused rows that were not added, because of a concurrent update or their size
 * @param evicted rows that were removed to make room
 * @param invalidated rows that became outdated
 * @param content what the cache holds now
 */
public record CacheStatistics(
        long hits, long misses, long fills, long refused, long evicted, long invalidated, Content content) {
    /**
     * Content of a cache.
     *
     * @param entries rows in the cache
     * @param bytes memory of these rows
     * @param ended outdated rows among them, which are kept for snapshots
     */
    public record Content(long entries, long bytes, long ended) {}

    /** The statistics of a node without a cache. */
    public static final CacheStatistics NONE = new CacheStatistics(0, 0, 0, 0, 0, 0, new Content(0, 0, 0));
}
