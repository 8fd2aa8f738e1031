package io.sluice.node.ingest;

import io.sluice.node.catalog.Catalog;
import io.sluice.node.store.RocksStore;
import java.nio.file.Path;
import java.time.Clock;

/**
 * What every import of a node works with.
 *
 * @param store holds the KVs
 * @param catalog holds what is known about them
 * @param staging where SSTs wait, on the file system of the store
 * @param faults told of every durable step
 * @param clock tells when a table was published
 * @param readThreads how many threads read a table back
 */
public record ImportContext(
        RocksStore store, Catalog catalog, Path staging, FaultPoints faults, Clock clock, int readThreads) {}
