package io.sluice.node.ingest;

import io.sluice.node.catalog.Catalog;
import io.sluice.node.compact.Compactor;
import io.sluice.node.store.RocksStore;
import java.nio.file.Path;
import java.time.Clock;
import java.util.function.LongSupplier;

/**
 * What every import of a node works with.
 *
 * @param store holds the KVs
 * @param catalog holds what is known about them
 * @param compactor keeps the trees low
 * @param staging where SSTs wait, on the file system of the store
 * @param settings how SSTs are taken in
 * @param diskFreeBytes tells the free space
 * @param faults told of every durable step
 * @param clock tells when a table was published
 * @param leaseMillis how long an import that can be resumed is kept untouched
 * @param readThreads how many threads read a table back
 */
public record ImportContext(
        RocksStore store,
        Catalog catalog,
        Compactor compactor,
        Path staging,
        IngestSettings settings,
        LongSupplier diskFreeBytes,
        FaultPoints faults,
        Clock clock,
        long leaseMillis,
        int readThreads) {}
