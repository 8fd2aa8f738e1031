package io.sluice.engine.store;

import io.sluice.engine.cache.CacheStatistics;
import io.sluice.engine.cache.RowCache;
import io.sluice.engine.cache.Sequences;
import io.sluice.engine.cache.Update;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.Status;
import org.rocksdb.TickerType;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;

/**
 * The open database: the single owner of all native handles. Usable by several threads.
 *
 * <p>{@link #close} waits for calls in progress, frees cursors, views and handles, and the database last. Later calls
 * throw {@link IllegalStateException}.
 */
public final class RocksStore implements AutoCloseable {
    private static final String WAY_OUT =
            "Restore the file from a copy if there is one; or accept the loss with 'sluice"
                    + " recover --store DIR --accept-loss', which keeps a copy of the log";

    private final StoreOptions options;
    private final RocksDB db;
    private final CommitLog log;
    private final List<String> recovered;
    private final Map<String, Family> families = new ConcurrentHashMap<>();
    private final UseCount uses = new UseCount();
    private final SnapshotCount snapshots = new SnapshotCount();
    /** The lock of drops, of which RocksDB runs one at a time as well. */
    private final Object drops = new Object();

    private final Set<Runnable> ends = ConcurrentHashMap.newKeySet();
    private final Set<StoreView> views = ConcurrentHashMap.newKeySet();

    private final @Nullable RowCache rows;

    private RocksStore(StoreOptions options, WriteAheadLog.Opened opened, long rowCacheBytes) {
        this.options = options;
        this.db = opened.db();
        log = new CommitLog(
                db,
                "the store takes no writes: an earlier sync of its log failed. What is on disk shows when it is opened"
                        + " again: see to the disk, then restart the node");
        recovered = opened.tornTail() == null ? List.of() : List.of(opened.tornTail());
        rows = rowCacheBytes == 0 ? null : new RowCache(rowCacheBytes, sequences());
        if (rows != null) {
            snapshots.afterRelease(rows::snapshotReleased);
        }
    }

    /** Sequence numbers for the row cache, which calls them only inside a family's gate, while the database is open. */
    private Sequences sequences() {
        return new Sequences() {
            @Override
            public long latest() {
                return db.getLatestSequenceNumber();
            }

            @Override
            public long oldestSnapshot() {
                return snapshots.oldest();
            }
        };
    }

    /** Opens the database as {@link #open(Path, long, long)} does, without a row cache. */
    public static RocksStore open(Path directory, long blockCacheBytes) {
        return open(directory, blockCacheBytes, 0);
    }

    /**
     * Opens the database, and creates it if it does not exist.
     *
     * @param directory holds the database and nothing else; its parent must exist
     * @param blockCacheBytes size of the block cache
     * @param rowCacheBytes size of the row cache; 0 for none, else at least {@link RowCache#LEAST_BYTES}
     * @throws io.sluice.model.error.OperationFailedException when its log is damaged ({@link WriteAheadLog})
     */
    public static RocksStore open(Path directory, long blockCacheBytes, long rowCacheBytes) {
        StoreOptions options = new StoreOptions(blockCacheBytes);
        try {
            Families known = new Families(directory, options);
            RocksStore store =
                    new RocksStore(options, WriteAheadLog.open(directory, known::open, WAY_OUT), rowCacheBytes);
            known.adoptInto(store);
            return store;
        } catch (RocksDBException e) {
            options.close();
            throw StoreErrors.failed("open the database in " + directory, e);
        } catch (RuntimeException e) {
            options.close();
            throw e;
        }
    }

    /**
     * Reports which durable writes would be lost if the damaged write-ahead log were recovered up to the damage.
     * Changes nothing.
     *
     * @return the loss as a sentence; null when no durable write would be lost
     */
    public static @Nullable String logLoss(Path directory) {
        return WriteAheadLog.loss(directory);
    }

    /**
     * Drops what follows the damage in a database's write-ahead log. A column family that was flushed after the damage
     * keeps its later writes, so that it may be ahead of the others.
     *
     * @param copies a new directory, for copies of the log's files before the change
     */
    public static void dropDamagedLog(Path directory, Path copies) {
        try (StoreOptions options = new StoreOptions(0)) {
            WriteAheadLog.copy(directory, copies);
            Families known = new Families(directory, options);
            try (RocksDB db = openBeforeDamage(directory, known)) {
                known.close();
                db.syncWal();
            }
        } catch (RocksDBException e) {
            throw StoreErrors.failed("open the database in " + directory, e);
        }
    }

    /** RocksDB refuses to drop a log that is behind a flushed column family; without damage it opens. */
    private static RocksDB openBeforeDamage(Path directory, Families known) throws RocksDBException {
        try {
            return known.open(WALRecoveryMode.PointInTimeRecovery);
        } catch (RocksDBException e) {
            Status status = e.getStatus();
            if (status == null || status.getCode() != Status.Code.Corruption) {
                throw e;
            }
            WriteAheadLog.truncate(directory);
            return known.open(WALRecoveryMode.AbsoluteConsistency);
        }
    }

    /** The column families of a database. RocksDB requires that all of them are named to open it. */
    private static final class Families {
        private final Path directory;
        private final DBOptions dbOptions;
        private final List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
        private final List<ColumnFamilyHandle> handles = new ArrayList<>();

        Families(Path directory, StoreOptions options) throws RocksDBException {
            this.directory = directory;
            dbOptions = options.db().setCreateMissingColumnFamilies(true);
            for (String name : FamilyNames.stored(directory)) {
                descriptors.add(new ColumnFamilyDescriptor(bytes(name), options.family(name)));
            }
        }

        /** Opens the database. */
        RocksDB open(WALRecoveryMode mode) throws RocksDBException {
            dbOptions.setWalRecoveryMode(mode);
            handles.clear();
            return RocksDB.open(dbOptions, directory.toString(), descriptors, handles);
        }

        void adoptInto(RocksStore store) {
            for (int i = 0; i < handles.size(); i++) {
                store.adopt(new String(descriptors.get(i).getName(), StandardCharsets.UTF_8), handles.get(i));
            }
        }

        void close() {
            handles.forEach(ColumnFamilyHandle::close);
        }
    }

    /** The repairs of the log on opening, one sentence each; usually none. */
    public List<String> recovered() {
        return recovered;
    }

    /** Names of the column families that buffer small SSTs of an import. */
    public List<String> smallSstFamilies(int tableId) {
        return families.keySet().stream()
                .filter(name -> FamilyNames.isSmallSsts(name, tableId))
                .sorted()
                .toList();
    }

    /** The catalog's column family. */
    public Family meta() {
        return family(FamilyNames.META);
    }

    /**
     * The column family of that name.
     *
     * @throws IllegalStateException when there is none
     */
    public Family family(String name) {
        Family family = find(name);
        if (family == null) {
            throw new IllegalStateException(
                    uses.closed() ? "the store is closed" : "there is no column family " + name);
        }
        return family;
    }

    /** The column family of that name; null when there is none, or its drop has begun. */
    public @Nullable Family find(String name) {
        Family family = families.get(name);
        return family == null || family.dropped() ? null : family;
    }

    /** Names of all column families that hold KVs of tables or of imports. */
    public List<String> dataFamilies() {
        return families.keySet().stream()
                .filter(name -> FamilyNames.isTable(name) || FamilyNames.isSmallSsts(name))
                .sorted()
                .toList();
    }

    /** Creates a column family for a table. */
    public Family createFamily(String name) {
        enter();
        try {
            return adopt(name, db.createColumnFamily(new ColumnFamilyDescriptor(bytes(name), options.family(name))));
        } catch (RocksDBException e) {
            throw StoreErrors.failed("make column family " + name, e);
        } finally {
            uses.exit();
        }
    }

    /**
     * Drops a column family in time independent of its size. Waits for calls in progress; views become unusable. A drop
     * that failed can be repeated.
     */
    public void dropFamily(String name) {
        enter();
        try {
            Family family = families.get(name);
            if (family != null) {
                drop(family);
            }
        } catch (RocksDBException e) {
            throw StoreErrors.failed("drop column family " + name, e);
        } finally {
            uses.exit();
        }
    }

    private void drop(Family family) throws RocksDBException {
        family.seal(true);
        synchronized (drops) {
            // Another thread may have dropped it meanwhile.
            if (families.get(family.name()) == family) {
                db.dropColumnFamily(family.handle());
                families.remove(family.name());
                family.handle().close();
            }
        }
    }

    /** Applies changes to the meta column family, atomically and durably. */
    public void commit(WriteSet writes) {
        enter();
        try (WriteBatch batch = log.newBatch()) {
            writes.addTo(batch, meta().handle());
            log.writeSynced(batch);
        } catch (RocksDBException e) {
            throw StoreErrors.failed("write the catalog", e);
        } finally {
            uses.exit();
        }
    }

    /**
     * Puts all KVs of an SST, and applies changes to the meta column family, in one atomic and durable write.
     *
     * @param sst a file that fits into memory; it stays in its place
     * @return the size of the write
     */
    public Puts putAll(Family target, Path sst, WriteSet alongside) {
        enter();
        try {
            return target.putAll(log, sst, alongside, meta());
        } finally {
            uses.exit();
        }
    }

    /** Opens a view of all column families at one snapshot. The caller closes it. */
    public StoreView view() {
        enter();
        try {
            StoreView view = new StoreView(this, db, snapshots);
            views.add(view);
            return view;
        } finally {
            uses.exit();
        }
    }

    void forget(StoreView view) {
        views.remove(view);
    }

    /**
     * Writes rows and changes to the meta column family, atomically. Readers see them at once; they are durable after
     * {@link #syncLog}.
     */
    public void write(RowBatch batched, WriteSet alongside) {
        enter();
        List<Family> entered = new ArrayList<>();
        List<Update> updates = new ArrayList<>();
        try (WriteBatch batch = log.newBatch()) {
            for (Family family : batched.families()) {
                family.enter();
                entered.add(family);
            }
            batched.addTo(batch);
            alongside.addTo(batch, meta().handle());
            for (Family family : entered) {
                WriteSet writes = batched.of(family);
                updates.add(family.updating(writes::keys, writes::spans));
            }
            log.write(batch);
        } catch (RocksDBException e) {
            throw StoreErrors.failed("write rows", e);
        } finally {
            updates.forEach(Update::close);
            entered.forEach(Family::exit);
            uses.exit();
        }
    }

    /** Makes all earlier writes durable. */
    public void syncLog() {
        enter();
        try {
            log.sync();
        } catch (RocksDBException e) {
            throw StoreErrors.failed("sync the log", e);
        } finally {
            uses.exit();
        }
    }

    /** The reason why the store takes no writes until it is opened again; null: it does. */
    public @Nullable String failure() {
        return log.failure();
    }

    /**
     * Runs work of several calls, and keeps the store open until it ends: {@link #close} waits for it. The work checks
     * {@link #closed} regularly, and ends when it is true.
     */
    public void holdOpen(Runnable work) {
        enter();
        try {
            work.run();
        } finally {
            uses.exit();
        }
    }

    /** Counters of the row cache; all zero when there is none. */
    public CacheStatistics rowCache() {
        return rows == null ? CacheStatistics.NONE : rows.statistics();
    }

    /** Counters of the range tombstones that scans wrote over runs of deleted keys. */
    public TombstoneConversions tombstoneConversions() {
        enter();
        try {
            Statistics counted = options.statistics();
            return new TombstoneConversions(
                    counted.getTickerCount(TickerType.READ_PATH_RANGE_TOMBSTONES_INSERTED),
                    counted.getTickerCount(TickerType.READ_PATH_RANGE_TOMBSTONES_DISCARDED));
        } finally {
            uses.exit();
        }
    }

    /** A numeric property of the database; 0 when RocksDB does not have it. */
    public long property(String name) {
        enter();
        try {
            return db.getLongProperty(name);
        } catch (RocksDBException e) {
            return 0;
        } finally {
            uses.exit();
        }
    }

    /** Registers a callback that runs when the store is closed, for resources that must not outlive it. */
    public void atClose(Runnable end) {
        ends.add(end);
    }

    /** Undoes {@link #atClose}. */
    public void forgetAtClose(Runnable end) {
        ends.remove(end);
    }

    /** Whether {@link #close} was called. */
    public boolean closed() {
        return uses.closed();
    }

    private Family adopt(String name, ColumnFamilyHandle handle) {
        Family family = new Family(
                name, db, handle, snapshots, rows != null && FamilyNames.isTable(name) ? rows.newShard() : null);
        families.put(name, family);
        return family;
    }

    private void enter() {
        if (!uses.enter()) {
            throw new IllegalStateException("the store is closed");
        }
    }

    @Override
    public void close() {
        if (!uses.closeAndAwait()) {
            return;
        }
        ends.forEach(Runnable::run);
        // Running compactions stop at their next KV, and their inputs stay in place.
        db.cancelAllBackgroundWork(false);
        for (Family family : families.values()) {
            family.seal(false);
        }
        views.forEach(view -> view.close(null));
        for (Family family : families.values()) {
            family.handle().close();
        }
        families.clear();
        log.close();
        db.close();
        options.close();
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }
}
