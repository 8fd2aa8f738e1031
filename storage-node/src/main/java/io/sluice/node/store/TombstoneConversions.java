package io.sluice.node.store;

/**
 * What scans have done about runs of deleted keys since the database was opened, all tables together: RocksDB counts no
 * closer.
 *
 * @param made range tombstones that were put over runs
 * @param givenUp those that were not, because something had changed meanwhile that made it unsafe
 */
public record TombstoneConversions(long made, long givenUp) {}
