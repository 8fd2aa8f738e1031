package io.sluice.node;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.node.TableTuning;
import io.sluice.api.node.TuningStatus;
import io.sluice.engine.compact.CompactionMode;
import io.sluice.engine.compact.Compactor;
import io.sluice.engine.lsm.LsmEvents;
import io.sluice.engine.lsm.LsmLogSettings;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.StoreDirectory;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.TableBusyException;
import io.sluice.model.kv.KeySpan;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.PendingDrop;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.node.ingest.ImportContext;
import io.sluice.node.ingest.Imports;
import io.sluice.node.ingest.NodeSession;
import io.sluice.node.ingest.Replicas;
import io.sluice.node.read.TableReader;
import io.sluice.node.read.TableSweep;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A storage node in this process, over one store directory. Usable by several threads.
 *
 * <p>Opening takes the directory's lock, opens RocksDB, loads the catalog, undoes or finishes what an earlier process
 * left incomplete, and marks the directory as a store. Closing waits for calls in progress; open cursors and sessions
 * become unusable. The next process that opens the store undoes imports that were not published. It keeps those with an
 * import id, so that a client can resume them.
 */
public final class StorageNode implements NodeClient {
    /** Each of the threads that answer readers has a page in memory, twice. */
    private static final long PAGE_BYTES = 1L << 20;

    private final StoreDirectory directory;
    private final RocksStore store;
    private final Catalog catalog;
    private final LsmEvents events;
    private final TreeEvents treeEvents;
    private final Compactor compactor;
    private final Imports imports;
    private final TombstoneTuning tombstones;
    private final NodeSettings settings;
    private final List<String> recovered;
    /** The lock of the thread that removes the files of dropped tables. */
    private final Lock drops = new ReentrantLock();

    private StorageNode(StoreDirectory directory, RocksStore store, NodeSettings settings) {
        this.directory = directory;
        this.store = store;
        this.settings = settings;
        catalog = Catalog.load(store);
        catalog.onFormatNeeded(directory::raiseVersion);
        FaultPoints faults = settings.faults();
        events = LsmEvents.open(directory.root(), Clock.systemUTC(), LsmLogSettings.defaults());
        treeEvents = new TreeEvents(events);
        compactor = new Compactor(
                settings.ingest().compaction(),
                settings.ingest().backoff(),
                treeEvents,
                () -> faults.reached(FaultPoints.MERGE));
        try {
            ImportContext context = new ImportContext(
                    store,
                    catalog,
                    compactor,
                    directory.staging(),
                    settings.ingest(),
                    faults,
                    settings.clock(),
                    settings.readThreads());
            imports = new Imports(context, settings.importLeaseMillis());
            recovered = Stream.concat(
                            store.recovered().stream(),
                            new Recovery(store, catalog, imports, directory.staging()).run().stream())
                    .toList();
            tombstones = new TombstoneTuning(store, catalog.imports());
            tombstones.begin();
            for (TableRecord table : catalog.tables()) {
                compactor.manage(store.family(table.family()), CompactionMode.ONLINE, List.of());
            }
            directory.markCreated();
        } catch (RuntimeException | Error e) {
            compactor.close();
            events.close();
            throw e;
        }
    }

    /**
     * Opens a store, and creates it if the directory is missing or empty.
     *
     * @throws io.sluice.model.error.BadInputException when the directory holds other files, or another process uses it
     */
    public static StorageNode open(Path storeDirectory, NodeSettings settings) {
        return open(StoreDirectory.open(storeDirectory, true), settings);
    }

    /**
     * Opens a store that exists.
     *
     * @throws io.sluice.model.error.BadInputException when there is none, or another process uses it
     */
    public static StorageNode openExisting(Path storeDirectory, NodeSettings settings) {
        return open(StoreDirectory.open(storeDirectory, false), settings);
    }

    private static StorageNode open(StoreDirectory directory, NodeSettings settings) {
        RocksStore store = null;
        try {
            store = RocksStore.open(directory.db(), settings.blockCacheBytes(), settings.rowCacheBytes());
            return new StorageNode(directory, store, settings);
        } catch (RuntimeException | Error e) {
            if (store != null) {
                store.close();
            }
            directory.close();
            throw e;
        }
    }

    /**
     * Reports which durable writes a store would lose if its damaged write-ahead log were recovered up to the damage.
     * Changes nothing.
     *
     * @return the loss as a sentence; null when no durable write would be lost
     * @throws io.sluice.model.error.BadInputException when there is no store, or another process uses it
     */
    public static @Nullable String logLoss(Path storeDirectory) {
        try (StoreDirectory directory = StoreDirectory.open(storeDirectory, false)) {
            return RocksStore.logLoss(directory.db());
        }
    }

    /**
     * Truncates a store's damaged write-ahead log at the damage, and keeps a copy of the log.
     *
     * @return the directory of the copy
     * @throws io.sluice.model.error.BadInputException when there is no store, or another process uses it
     */
    public static Path dropDamagedLog(Path storeDirectory) {
        try (StoreDirectory directory = StoreDirectory.open(storeDirectory, false)) {
            Path copies = directory.newDamagedLog();
            RocksStore.dropDamagedLog(directory.db(), copies);
            return copies;
        }
    }

    /** The store, for the modules on top of this one. They close what they opened on it before the node. */
    public RocksStore store() {
        return store;
    }

    /** The catalog, for the modules on top of this one. */
    public Catalog catalog() {
        return catalog;
    }

    /** The replicas of key ranges that are copied from and to this node. */
    public Replicas replicas() {
        ensureOpen();
        return imports.replicas();
    }

    /** The source of the time. */
    public Clock clock() {
        return settings.clock();
    }

    /** The recovery steps that opening the store took, one sentence each; usually none. */
    public List<String> recovered() {
        return recovered;
    }

    /** The directory for temporary files of an importer in this process. Opening the store empties it. */
    public Path workDirectory() {
        return directory.work();
    }

    /** Bytes that compactions have written since the node was opened. */
    public long bytesMerged() {
        return treeEvents.bytesMerged();
    }

    /** The file of the LSM event log; it may not exist yet. */
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

    /**
     * Undoes the imports that no client has called for a lease, and goes on with drops that failed; a server calls it
     * every few seconds.
     */
    public void removeExpiredImports() {
        ensureOpen();
        try {
            imports.removeExpired();
        } finally {
            if (drops.tryLock()) {
                try {
                    catalog.drops().pending().forEach(this::remove);
                } finally {
                    drops.unlock();
                }
            }
        }
    }

    @Override
    public NodeSession beginImport(ImportRequest request) {
        ensureOpen();
        return imports.begin(request);
    }

    /**
     * The session of the latest attempt at a resumable import, or null when there is no such import. A published import
     * has a session as well, because a client may repeat the publication.
     */
    public @Nullable NodeSession session(UUID importId) {
        ensureOpen();
        return imports.session(importId);
    }

    /**
     * The session of one attempt at a resumable import, or null when there is no such import. A later attempt may have
     * fenced it.
     *
     * @param attempt the number that {@link NodeSession#attempt} returned
     */
    public @Nullable NodeSession session(UUID importId, long attempt) {
        ensureOpen();
        return imports.session(importId, attempt);
    }

    /**
     * Applies a change of the nodes that take part in an import, as the cluster's log has it. If this node does not any
     * more, it removes what it has of the import, also a table that it has published: that lacks what was written
     * since.
     *
     * @param directory its addresses are those of the nodes that take part
     * @return what was done, for the log; null: nothing
     */
    public @Nullable String importMoved(UUID importId, int tableId, RangeDirectory directory) {
        ensureOpen();
        String undone = imports.moved(importId, tableId, directory);
        TableRecord published = catalog.tables().stream()
                .filter(table -> table.table().id() == tableId
                        && table.directory().epoch() < directory.epoch()
                        && directory.refines(table.directory()))
                .findFirst()
                .orElse(null);
        if (published == null) {
            return undone;
        }
        // Statements may have changed rows since the publication, and a node that is gone may have counted them.
        RangeDirectory next = directory.uncounting(published.directory());
        if (directory.addresses().containsKey(catalog.nodeId())) {
            catalog.move(tableId, next, published.status().published());
            return undone;
        }
        String name = published.table().name();
        try {
            drop(name);
            return "removed table " + name + ", which was published without this node";
        } catch (BadInputException | TableBusyException e) {
            // The log goes on. Clients follow the other nodes, whose directory is the later one.
            catalog.move(tableId, next, published.status().published());
            return "table " + name + " was published without this node, and cannot be removed: " + e.getMessage();
        }
    }

    /**
     * Publishes what this node has of an import that the cluster has published. May be repeated.
     *
     * @param tableId id of the import's table, which no other attempt at it has
     * @param sums checksum of each index of the whole table
     * @return what was done, for the log; null: nothing
     */
    public @Nullable String publishDecided(UUID importId, int tableId, List<IndexChecksum> sums) {
        ensureOpen();
        return imports.publishDecided(importId, tableId, sums);
    }

    /**
     * Removes an unfinished import of a new table that has the id of one which the cluster has published by another
     * import. The log publishes it never: begun on most nodes, it would have another id.
     *
     * @param publisher the import that has published the table, or was the last to add rows to it
     */
    public void removeUnpublishable(int tableId, UUID publisher) {
        ensureOpen();
        imports.removeUnpublishable(tableId, publisher);
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
    public List<byte[]> splitKeys(String table, int parts) {
        return reader(table).splitKeys(parts);
    }

    @Override
    public void readKvs(String table, KeySpan span, Predicate<KvPage> pages) {
        int id = catalog.require(table).table().id();
        KeySpan rest = span;
        boolean more = true;
        while (more && Arrays.compareUnsigned(rest.start(), rest.end()) < 0) {
            KvPage page = replicas().source().page(id, rest, PAGE_BYTES, false);
            rest = new KeySpan(page.end(), span.end());
            more = pages.test(page);
        }
    }

    @Override
    public TableDigest digest(String table) {
        return sweep(table, TableSweep.EVERYTHING).digest();
    }

    @Override
    public TableDigest digest(String table, List<KeySpan> spans) {
        return sweep(table, spans).digest();
    }

    /** Computes a digest as {@link #digest(String, List)} does, and returns the version of the table with it. */
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

    /** Removes the table from the catalog first, so that no reader sees half a table; then its files, unless shared. */
    @Override
    public void drop(String table) {
        ensureOpen();
        remove(catalog.drop(table));
    }

    private void remove(@Nullable PendingDrop drop) {
        drops.lock();
        try {
            // After another thread has finished it, a replica may have a column family of that name.
            if (drop != null && catalog.drops().pending().contains(drop)) {
                compactor.forget(drop.family());
                store.dropFamily(drop.family());
                tombstones.dropped(drop.family());
                catalog.drops().finish(drop);
            }
        } finally {
            drops.unlock();
        }
    }

    /**
     * Removes what this node has of a table that the cluster has dropped: the table, or an import that was to fill it.
     * Prepared branches of transactions do not keep it: what they change in it is gone. May be repeated.
     *
     * @param name the table's name; another table of that id stays
     * @return what was done, for the log; null: nothing
     */
    public @Nullable String dropDecided(int tableId, String name) {
        ensureOpen();
        String undone = imports.dropped(tableId, name);
        TableRecord table = catalog.table(tableId);
        boolean here = table != null
                && table.table().name().equals(name)
                && !table.directory().ranges().isEmpty();
        if (!here) {
            return undone;
        }
        try {
            remove(catalog.dropDecided(name));
            return "dropped table " + name + ", as the cluster has decided";
        } catch (BadInputException e) {
            // An import was published on this node alone. The log goes on; the other nodes do not have the table.
            return "table " + name + " was dropped, and is kept on this node: " + e.getMessage();
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
            compactor.close();
            store.close();
            events.close();
        }
    }
}
