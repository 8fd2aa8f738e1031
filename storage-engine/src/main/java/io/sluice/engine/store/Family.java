package io.sluice.engine.store;

import io.sluice.engine.cache.CacheShard;
import io.sluice.engine.cache.Update;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KeySpan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.CompactionJobInfo;
import org.rocksdb.CompactionJobStats;
import org.rocksdb.CompactionOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LevelMetaData;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Snapshot;
import org.rocksdb.SstFileMetaData;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;

/**
 * One column family of an open store. Usable by several threads.
 *
 * <p>Views register here. Closing the store or dropping the family frees views that are still open; their users then
 * get an exception, and the process does not crash.
 */
public final class Family {
    /** RocksDB spreads files over paths when there are several; a store has one. */
    private static final int ANY_PATH = -1;

    private final String name;
    private final RocksDB db;
    private final ColumnFamilyHandle handle;
    private final UseCount uses = new UseCount();
    private final Set<FamilyView> views = ConcurrentHashMap.newKeySet();
    private final SnapshotCount snapshots;
    /** The family's shard of the row cache; null when there is no row cache, or the family holds no rows. */
    private final @Nullable CacheShard rows;

    private volatile boolean dropped;
    /** Whether a merge may have kept the older of two KVs with one key, because a snapshot saw it. */
    private volatile boolean keptOldVersions;

    Family(String name, RocksDB db, ColumnFamilyHandle handle, SnapshotCount snapshots, @Nullable CacheShard rows) {
        this.rows = rows;
        this.name = name;
        this.snapshots = snapshots;
        this.db = db;
        this.handle = handle;
    }

    /** The family's name in RocksDB. */
    public String name() {
        return name;
    }

    /** Whether a drop of the family has begun. */
    boolean dropped() {
        return dropped;
    }

    /** Opens a view of the current content, by a snapshot. The caller closes it. */
    public FamilyView view() {
        return opened(true);
    }

    private FamilyView opened(boolean atOneMoment) {
        return opened(() -> new FamilyView(this, db, handle, atOneMoment ? snapshots : null));
    }

    /** Opens a view of the content at a snapshot, which must outlive the view. */
    FamilyView viewAt(Snapshot snapshot) {
        return opened(() -> new FamilyView(this, db, handle, snapshot));
    }

    private FamilyView opened(Supplier<FamilyView> create) {
        enter();
        try {
            FamilyView view = create.get();
            views.add(view);
            return view;
        } finally {
            exit();
        }
    }

    /**
     * Opens a view without a snapshot: each cursor shows the content at the time of its creation. For a family that
     * gets no more Puts this equals a snapshot, and compactions elsewhere need not keep old versions for it. The caller
     * closes it.
     */
    public FamilyView latest() {
        return opened(false);
    }

    /** The current value of a key, or null. */
    public byte @Nullable [] get(byte[] key) {
        enter();
        try {
            return db.get(handle, key);
        } catch (RocksDBException e) {
            throw StoreErrors.failed("read from column family " + name, e);
        } finally {
            exit();
        }
    }

    /**
     * The current value of a key, or null, read through the row cache: a value that the cache lacks is added to it. The
     * caller must not change the array.
     */
    public byte @Nullable [] row(byte[] key) {
        if (rows == null) {
            return get(key);
        }
        enter();
        try {
            byte[] known = rows.find(key, CacheShard.NOW);
            if (known != null) {
                return known;
            }
            long at = db.getLatestSequenceNumber();
            byte[] value = db.get(handle, key);
            if (value != null) {
                rows.fill(key, value, at);
            }
            return value;
        } catch (RocksDBException e) {
            throw StoreErrors.failed("read from column family " + name, e);
        } finally {
            exit();
        }
    }

    @Nullable
    CacheShard rows() {
        return rows;
    }

    /** A call into RocksDB that writes. */
    private interface Write {
        void run() throws RocksDBException;
    }

    /** Writes, and announces the update to the row cache before and after. */
    private void announced(Supplier<List<KeySpan>> spans, Write write) throws RocksDBException {
        Update update = updating(List::of, spans);
        try {
            write.run();
        } finally {
            update.close();
        }
    }

    /**
     * Announces a write to the row cache before it happens. The caller has entered the gate, and closes the update
     * after the write.
     *
     * @param keys keys to be written; evaluated only when there is a row cache
     * @param spans spans to be written; evaluated only when there is a row cache
     */
    Update updating(Supplier<List<byte[]>> keys, Supplier<List<KeySpan>> spans) {
        return rows == null ? Update.NONE : rows.begin(keys.get(), spans.get());
    }

    /**
     * Moves finished SSTs into the LSM tree, all or none, atomically. Files may overlap; later ones then win. The files
     * leave their directory; the call returns when that is durable.
     *
     * @param files on the store's own file system
     */
    public void ingest(List<Path> files) {
        enter();
        try (IngestExternalFileOptions options = new IngestExternalFileOptions().setMoveFiles(true)) {
            List<String> paths = files.stream().map(Path::toString).toList();
            announced(() -> SstCursor.spans(files), () -> db.ingestExternalFile(handle, paths, options));
        } catch (RocksDBException e) {
            throw StoreErrors.failed("ingest " + files.size() + " SSTs into column family " + name, e);
        } finally {
            exit();
        }
    }

    /**
     * Compacts files into one sorted run, in the caller's thread. Reads and ingestion continue; compactions of disjoint
     * key spans may run concurrently. A failed compaction leaves its inputs unchanged.
     *
     * @param inputs names of files; RocksDB adds the older files between them and the output level that overlap them
     * @param outputLevel level of the output files
     * @param outputFileBytes target size of an output file
     * @param threads number of subcompactions that may run in parallel
     * @return the result, or null when RocksDB refused and nothing was done: while it ingests a file, it blocks
     *     compactions of those keys into the file's target level, and the caller cannot predict this
     */
    public @Nullable MergeResult merge(List<String> inputs, int outputLevel, long outputFileBytes, int threads) {
        enter();
        try (CompactionOptions options = new CompactionOptions()
                        .setCompression(CompressionType.NO_COMPRESSION)
                        .setOutputFileSizeLimit(outputFileBytes)
                        .setMaxSubcompactions(threads);
                CompactionJobInfo info = new CompactionJobInfo()) {
            long mark = snapshots.mark();
            List<String> outputs = db.compactFiles(options, handle, inputs, outputLevel, ANY_PATH, info);
            if (!snapshots.noneSince(mark)) {
                keptOldVersions = true;
            }
            try (CompactionJobStats stats = info.stats()) {
                return new MergeResult(
                        info.inputFiles().stream().map(Family::bareName).toList(),
                        outputs.stream().map(Family::bareName).toList(),
                        stats.totalOutputBytes());
            }
        } catch (RocksDBException e) {
            Status status = e.getStatus();
            if (status != null && status.getCode() == Status.Code.Aborted) {
                return null;
            }
            throw StoreErrors.failed("merge " + inputs.size() + " SSTs of column family " + name, e);
        } finally {
            exit();
        }
    }

    /**
     * Whether a file may hold several versions of one key: a compaction keeps versions that an open snapshot sees.
     * Counts of entries are then too high.
     */
    public boolean mayHoldOldVersions() {
        return keptOldVersions;
    }

    /** The number of files in level 0, from a RocksDB counter. */
    public int filesInLevel0() {
        enter();
        try {
            String count = db.getProperty(handle, "rocksdb.num-files-at-level0");
            return count == null ? 0 : Integer.parseInt(count);
        } catch (RocksDBException | NumberFormatException e) {
            throw new IllegalStateException("RocksDB does not count the files of level 0", e);
        } finally {
            exit();
        }
    }

    /**
     * Makes scans write a range tombstone over runs of point tombstones, so that later scans skip the run. The range
     * tombstone goes into the memtable; files ingested over it come to lie above it.
     *
     * @param leastRun least number of adjacent deleted keys to convert; 0 turns conversion off, which is the default
     */
    public void convertTombstones(int leastRun) {
        enter();
        try {
            db.setOptions(
                    handle,
                    MutableColumnFamilyOptions.builder()
                            .setMinTombstonesForRangeConversion(leastRun)
                            .build());
        } catch (RocksDBException e) {
            throw StoreErrors.failed("set how column family " + name + " converts tombstones", e);
        } finally {
            exit();
        }
    }

    /** Flushes the memtable to level 0. */
    public void flush() {
        enter();
        try (FlushOptions options = new FlushOptions().setWaitForFlush(true)) {
            db.flush(options, handle);
        } catch (RocksDBException e) {
            throw StoreErrors.failed("flush column family " + name, e);
        } finally {
            exit();
        }
    }

    /**
     * Puts the KVs of an SST, and applies changes to another column family, in one atomic write. Enters the gate,
     * because a write to a dropped column family would stop all writes of the database.
     */
    Puts putAll(CommitLog log, Path sst, WriteSet alongside, Family other) {
        enter();
        String step = "put the KVs of SST " + sst.getFileName();
        try (WriteBatch batch = log.newBatch();
                SstCursor cursor = new SstCursor(sst, step)) {
            Puts puts = cursor.addTo(batch, handle);
            alongside.addTo(batch, other.handle());
            announced(() -> SstCursor.spans(List.of(sst)), () -> log.writeSynced(batch));
            return puts;
        } catch (RocksDBException e) {
            throw StoreErrors.failed(step, e);
        } finally {
            exit();
        }
    }

    /**
     * Returns keys that cut a span into parts of about equal size on disk, ascending, by RocksDB's estimates. No cuts
     * are found within one data block, so a small span has fewer parts.
     *
     * @param parts wanted number of parts
     */
    public List<byte[]> splitKeys(KeySpan span, int parts) {
        enter();
        try {
            return new SizeSplits(db, handle, span).keys(parts);
        } finally {
            exit();
        }
    }

    /** Estimates the bytes of a span from metadata: those of SSTs as stored, and of what is not in one yet. */
    public long estimatedBytes(KeySpan span) {
        enter();
        try {
            return new SizeSplits(db, handle, span).bytes();
        } finally {
            exit();
        }
    }

    /** Lists the SSTs of the LSM tree, from metadata in memory. */
    public List<LsmFile> files() {
        enter();
        try {
            List<LsmFile> files = new ArrayList<>();
            for (LevelMetaData level : db.getColumnFamilyMetaData(handle).levels()) {
                for (SstFileMetaData file : level.files()) {
                    files.add(live(level.level(), file));
                }
            }
            return files;
        } finally {
            exit();
        }
    }

    /**
     * Lists the SSTs of the LSM tree with the number of their KVs.
     *
     * <p>The count comes from each file's properties, because the one in the tree's metadata is not reliable: unless
     * the number of open files is unlimited, RocksDB reads it for 20 new files per change of the tree (kMaxInitCount in
     * its version_set.cc) and says 0 for the rest.
     */
    public List<LsmFile> countedFiles() {
        enter();
        try {
            Map<String, Long> entries = new HashMap<>();
            db.getPropertiesOfAllTables(handle)
                    .forEach((path, properties) -> entries.put(bareName(path), properties.getNumEntries()));
            List<LsmFile> counted = new ArrayList<>();
            for (LsmFile file : files()) {
                Long count = entries.get(file.name());
                if (count == null) {
                    throw new IllegalStateException("SST " + file.name() + " came while the others were counted");
                }
                counted.add(file.withEntries(count));
            }
            return counted;
        } catch (RocksDBException e) {
            throw StoreErrors.failed("count the KVs of column family " + name, e);
        } finally {
            exit();
        }
    }

    private static String bareName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static LsmFile live(int level, SstFileMetaData file) {
        return new LsmFile(
                bareName(file.fileName()),
                level,
                new KeyBounds(file.smallestKey(), file.largestKey()),
                file.numEntries(),
                file.size(),
                file.largestSeqno());
    }

    void enter() {
        if (!uses.enter()) {
            throw refusal("the column family is closed");
        }
    }

    void exit() {
        uses.exit();
    }

    /** The error for a caller that the gate refused. */
    RuntimeException refusal(String otherwise) {
        if (dropped) {
            return new OperationFailedException("the table was dropped meanwhile");
        }
        return new IllegalStateException(uses.closed() ? "the store is closed" : otherwise);
    }

    void forget(FamilyView view) {
        views.remove(view);
    }

    ColumnFamilyHandle handle() {
        return handle;
    }

    /** Closes the gate, waits for callers inside, frees the views. The handle stays open. */
    void seal(boolean forDrop) {
        if (forDrop) {
            dropped = true;
        }
        boolean first = uses.closeAndAwait();
        if (first) {
            views.forEach(FamilyView::close);
            if (rows != null) {
                rows.close();
            }
        }
    }
}
