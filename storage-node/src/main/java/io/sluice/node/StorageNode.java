package io.sluice.node;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.node.TableTuning;
import io.sluice.api.node.TuningStatus;
import io.sluice.node.apply.ChangeLogs;
import io.sluice.node.cache.CacheStatistics;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.PendingDrop;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.compact.CompactionMode;
import io.sluice.node.compact.Compactor;
import io.sluice.node.ingest.DiskGauge;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.node.ingest.ImportContext;
import io.sluice.node.ingest.Imports;
import io.sluice.node.ingest.NodeSession;
import io.sluice.node.lsm.LsmEvents;
import io.sluice.node.lsm.LsmLogSettings;
import io.sluice.node.read.TableReader;
import io.sluice.node.read.TableSweep;
import io.sluice.node.sql.SqlEngine;
import io.sluice.node.store.Family;
import io.sluice.node.store.FamilyView;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.StoreDirectory;
import io.sluice.node.store.TombstoneConversions;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A storage node in this process, over one store directory. Usable by several threads.
 *
 * <p>Opening it: take the directory's lock, open RocksDB, load the catalog, undo, mend or finish what an earlier
 * process left half done, mark the directory as a store. Closing it waits for calls under way; cursors and sessions
 * that are still open become unusable. Imports that were not published are undone by whoever opens the store next, but
 * for those with an id, which are kept for whoever goes on with them.
 */
public final class StorageNode implements NodeClient {
    private final StoreDirectory directory;
    private final RocksStore store;
    private final Catalog catalog;
    private final LsmEvents events;
    private final TreeEvents treeEvents;
    private final Compactor compactor;
    private final Imports imports;
    private final SqlEngine sql;
    private final TombstoneTuning tombstones;
    private final NodeSettings settings;
    private final List<String> recovered;

    private StorageNode(StoreDirectory directory, RocksStore store, NodeSettings settings) {
        this.directory = directory;
        this.store = store;
        this.settings = settings;
        catalog = Catalog.load(store);
        FaultPoints faults = settings.faults();
        events = LsmEvents.open(directory.root(), settings.clock(), LsmLogSettings.defaults());
        treeEvents = new TreeEvents(events);
        compactor = new Compactor(
                settings.ingest().compaction(),
                settings.ingest().backoff(),
                treeEvents,
                () -> faults.reached(FaultPoints.MERGE));
        try {
            imports = new Imports(new ImportContext(
                    store,
                    catalog,
                    compactor,
                    directory.staging(),
                    settings.ingest(),
                    new DiskGauge(directory.root()),
                    faults,
                    settings.clock(),
                    settings.importLeaseMillis(),
                    settings.readThreads()));
            recovered = Stream.concat(
                            store.recovered().stream(),
                            new Recovery(store, catalog, imports, directory.staging()).run().stream())
                    .toList();
        } catch (RuntimeException | Error e) {
            compactor.close();
            events.close();
            throw e;
        }
        sql = new SqlEngine(store, catalog, settings.sql(), settings.clock(), FamilyView::row);
        tombstones = new TombstoneTuning(store, catalog);
        tombstones.begin();
        for (TableRecord table : catalog.tables()) {
            compactor.manage(store.family(table.family()), CompactionMode.ONLINE, List.of());
        }
    }

    /**
     * Opens a store, or makes one where there is nothing.
     *
     * @throws io.sluice.api.error.BadInputException when the directory holds something else, or another process uses it
     */
    public static StorageNode open(Path storeDirectory, NodeSettings settings) {
        return open(StoreDirectory.open(storeDirectory, true), settings);
    }

    /**
     * Opens a store that exists.
     *
     * @throws io.sluice.api.error.BadInputException when there is none, or another process uses it
     */
    public static StorageNode openExisting(Path storeDirectory, NodeSettings settings) {
        return open(StoreDirectory.open(storeDirectory, false), settings);
    }

    private static StorageNode open(StoreDirectory directory, NodeSettings settings) {
        RocksStore store = null;
        try {
            store = RocksStore.open(directory.db(), settings.blockCacheBytes(), settings.rowCacheBytes());
            StorageNode node = new StorageNode(directory, store, settings);
            directory.markMade();
            return node;
        } catch (RuntimeException | Error e) {
            if (store != null) {
                store.close();
            }
            directory.close();
            throw e;
        }
    }

    /**
     * What a store's write-ahead log would lose, as a sentence, if it was opened up to where it is damaged; null if
     * nothing that was durable. Changes nothing.
     *
     * @throws io.sluice.api.error.BadInputException when there is no store, or another process uses it
     */
    public static @Nullable String logLoss(Path storeDirectory) {
        try (StoreDirectory directory = StoreDirectory.open(storeDirectory, false)) {
            return RocksStore.logLoss(directory.db());
        }
    }

    /**
     * Drops what follows the damage in a store's write-ahead log, and keeps a copy of the log.
     *
     * @return the directory of the copy
     * @throws io.sluice.api.error.BadInputException when there is no store, or another process uses it
     */
    public static Path dropDamagedLog(Path storeDirectory) {
        try (StoreDirectory directory = StoreDirectory.open(storeDirectory, false)) {
            Path copies = directory.newDamagedLog();
            RocksStore.dropDamagedLog(directory.db(), copies);
            return copies;
        }
    }

    /** Executes statements on the tables. */
    public SqlEngine sql() {
        return sql;
    }

    /** Applies change logs to the tables. */
    public ChangeLogs changeLogs() {
        return new ChangeLogs(sql, settings.clock());
    }

    /** What opening the store cleaned up after an earlier process, one sentence each; usually nothing. */
    public List<String> recovered() {
        return recovered;
    }

    /** Where an importer in this process may leave temporary files. Emptied when the store is opened. */
    public Path workDirectory() {
        return directory.work();
    }

    /** What merges have written since the node was opened. */
    public long bytesMerged() {
        return treeEvents.bytesMerged();
    }

    /** What the row cache has done and holds; nothing but zeros when there is none. */
    public CacheStatistics rowCache() {
        return store.rowCache();
    }

    /** The event log of the trees; a file that need not be there yet. */
    public Path lsmLog() {
        return directory.root().resolve(LsmEvents.FILE_NAME);
    }

    @Override
    public List<TableStatus> tables() {
        ensureOpen();
        return catalog.tables().stream().map(TableRecord::status).toList();
    }

    @Override
    public @Nullable TableStatus table(String name) {
        ensureOpen();
        TableRecord table = catalog.table(name);
        return table == null ? null : table.status();
    }

    @Override
    public NodeStatus status() {
        ensureOpen();
        return new NodeStatus(catalog.nodeId(), version(), catalog.nextTableId(), imports.load());
    }

    private static String version() {
        String version = StorageNode.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    @Override
    public NodeSession beginImport(ImportRequest request) {
        ensureOpen();
        return imports.begin(request);
    }

    /**
     * The latest attempt at a resumable import, whether this process has seen it before or not; a published import can
     * still be published again. Null when there is no such import.
     */
    public @Nullable NodeSession session(UUID importId) {
        ensureOpen();
        return imports.session(importId);
    }

    /**
     * One attempt at a resumable import, which may be superseded by now; null when there is no such import.
     *
     * @param attempt as {@link NodeSession#attempt} told whoever began it
     */
    public @Nullable NodeSession session(UUID importId, long attempt) {
        ensureOpen();
        return imports.session(importId, attempt);
    }

    @Override
    public @Nullable List<@Nullable String> get(String table, List<String> key) {
        return reader(table).get(key);
    }

    @Override
    public RowCursor scan(ScanRequest request) {
        return reader(request.table()).scan(request);
    }

    @Override
    public TableDigest digest(String table) {
        return sweep(table, TableSweep.EVERYTHING).digest();
    }

    @Override
    public TableDigest digest(String table, List<KeySpan> spans) {
        return sweep(table, spans).digest();
    }

    /** As {@link #digest(String, List)}, with the version of the table that was read. */
    public TableSweep.Result sweep(String table, List<KeySpan> spans) {
        ensureOpen();
        TableRecord found = catalog.require(table);
        return TableSweep.read(familyOf(found), found.table(), spans, settings.readThreads());
    }

    @Override
    public TuningStatus tuning(String table) {
        ensureOpen();
        return tombstones.status(catalog.require(table));
    }

    @Override
    public TuningStatus tune(String table, TableTuning tuning) {
        ensureOpen();
        return tombstones.tune(catalog.require(table), tuning);
    }

    /** What scans have done about runs of deleted keys since the node was opened. */
    public TombstoneConversions tombstoneConversions() {
        ensureOpen();
        return store.tombstoneConversions();
    }

    private TableReader reader(String table) {
        ensureOpen();
        TableRecord found = catalog.require(table);
        return new TableReader(familyOf(found), found.table());
    }

    private Family familyOf(TableRecord table) {
        Family family = store.find(table.family());
        if (family == null) {
            throw new OperationFailedException("table " + table.table().name() + " was dropped meanwhile");
        }
        return family;
    }

    /** Out of the catalog first, so that nobody meets half a table; then the files, if no other table shares them. */
    @Override
    public void drop(String table) {
        ensureOpen();
        PendingDrop drop = catalog.drop(table);
        if (drop != null) {
            compactor.forget(drop.family());
            store.dropFamily(drop.family());
            tombstones.dropped(drop.family());
            catalog.finish(drop);
        }
    }

    private void ensureOpen() {
        if (store.closed()) {
            throw new IllegalStateException("the store is closed");
        }
    }

    @Override
    public void close() {
        try (directory) {
            sql.close();
            compactor.close();
            store.close();
            events.close();
        }
    }
}
