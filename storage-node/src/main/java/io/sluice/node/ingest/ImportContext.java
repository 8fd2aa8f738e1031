package io.sluice.node.ingest;

import io.sluice.engine.compact.Compactor;
import io.sluice.engine.store.RocksStore;
import io.sluice.node.catalog.Catalog;
import java.nio.file.Path;
import java.time.Clock;

/**
 * The collaborators and settings that all imports of a node share.
 *
 * @param store the store of the KVs
 * @param catalog the catalog of tables and imports
 * @param compactor the compactor of all trees
 * @param staging directory of staged SSTs, on the file system of the store
 * @param settings settings of ingestion
 * @param faults called at every durable step
 * @param clock source of the time
 * @param readThreads number of threads that read a table back
 */
public record ImportContext(
        RocksStore store,
        Catalog catalog,
        Compactor compactor,
        Path staging,
        IngestSettings settings,
        FaultPoints faults,
        Clock clock,
        int readThreads) {}
