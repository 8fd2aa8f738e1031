package io.sluice.engine.store;

/**
 * Counters of the range tombstones that scans wrote over runs of deleted keys since the database was opened. RocksDB
 * counts all tables together.
 *
 * @param made range tombstones that were written
 * @param abandoned range tombstones that were discarded, because a concurrent change made them unsafe
 */
public record TombstoneConversions(long made, long abandoned) {}
