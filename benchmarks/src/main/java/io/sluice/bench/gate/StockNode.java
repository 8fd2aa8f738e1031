package io.sluice.bench.gate;

import io.sluice.api.node.SstFile;
import io.sluice.engine.compact.SublevelMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RateLimiter;
import org.rocksdb.RateLimiterMode;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;
import org.rocksdb.Statistics;
import org.rocksdb.StatsLevel;
import org.rocksdb.TickerType;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * RocksDB by itself: seven levels, its own leveled compaction, and in front of it the backpressure that CockroachDB's
 * IMPORT met in its first direct form. SSTs are ingested by moving them, as the storage node does; that is kind to it.
 */
final class StockNode implements Node {
    private static final int LEVELS = 7;
    /** CockroachDB's rocksdb.ingest_backpressure.l0_file_count_threshold. */
    private static final int SLOWDOWN_FILES = 20;
    /** RocksDB's level0_stop_writes_trigger. */
    private static final int STOP_FILES = 36;

    private static final long POLL_MILLIS = 10;
    /** For so long nothing must run before it counts as quiet. */
    private static final int QUIET_POLLS = 30;

    private static final String[] BUSY = {
        "rocksdb.num-running-compactions",
        "rocksdb.num-running-flushes",
        "rocksdb.compaction-pending",
        "rocksdb.mem-table-flush-pending"
    };

    private final Settings settings;
    private final boolean smallAsPuts;
    private final Cache cache = new LRUCache(Trees.BLOCK_CACHE_BYTES);
    private final BloomFilter bloom = new BloomFilter(10);
    private final Statistics statistics = new Statistics();
    private final ColumnFamilyOptions familyOptions;
    private final DBOptions options;
    private final WriteOptions synced = new WriteOptions().setSync(true);
    private final WriteOptions unsynced = new WriteOptions();
    private final RocksDB db;
    private final ColumnFamilyHandle data;
    private final ColumnFamilyHandle metadata;
    private final List<ColumnFamilyHandle> families = new ArrayList<>();

    StockNode(Path directory, Settings settings, boolean smallAsPuts, boolean metadataApart) throws RocksDBException {
        this.settings = settings;
        this.smallAsPuts = smallAsPuts;
        statistics.setStatsLevel(StatsLevel.EXCEPT_DETAILED_TIMERS);
        familyOptions = new ColumnFamilyOptions()
                .setNumLevels(LEVELS)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setTableFormatConfig(Trees.format(bloom, cache));
        options = new DBOptions()
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setMaxBackgroundJobs(settings.disk().backgroundJobs())
                .setStatistics(statistics);
        if (settings.disk().mbps() > 0) {
            options.setRateLimiter(
                    new RateLimiter(settings.disk().mbps() * 1_000_000L, 100_000, 10, RateLimiterMode.WRITES_ONLY));
        }
        List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
        descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, familyOptions));
        if (metadataApart) {
            descriptors.add(new ColumnFamilyDescriptor(new byte[] {'m'}, familyOptions));
        }
        db = RocksDB.open(options, directory.toString(), descriptors, families);
        data = families.get(0);
        metadata = families.get(families.size() - 1);
    }

    @Override
    public long take(SstFile sst, Deadline patience) {
        try {
            if (smallAsPuts && sst.fileBytes() < settings.smallSstBytes()) {
                putAll(sst.path());
                return 0;
            }
            long begun = System.nanoTime();
            awaitTurn(patience);
            long waited = System.nanoTime() - begun;
            try (IngestExternalFileOptions ingest =
                    new IngestExternalFileOptions().setMoveFiles(true).setWriteGlobalSeqno(false)) {
                db.ingestExternalFile(data, List.of(sst.path().toString()), ingest);
            }
            return waited;
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Sleeps once before an ingest, longer with every file above 20, with the full delay at 30. This is
     * {@code calculatePreIngestDelay} of CockroachDB 20.1, pkg/storage/engine.go, which counted files and not
     * sublevels. From 36 files on RocksDB stops writes.
     */
    private void awaitTurn(Deadline patience) throws RocksDBException {
        int excess = level0Files() - SLOWDOWN_FILES;
        if (excess > 0) {
            patience.sleep(Math.min(
                    settings.delay().maxMillis(), excess * settings.delay().millisPerFile()));
        }
        while (level0Files() >= STOP_FILES) {
            patience.sleep(POLL_MILLIS);
        }
    }

    private int level0Files() throws RocksDBException {
        return Integer.parseInt(db.getProperty(data, "rocksdb.num-files-at-level0"));
    }

    private void putAll(Path sst) throws RocksDBException {
        try (Options reading = new Options();
                SstFileReader reader = new SstFileReader(reading);
                ReadOptions sweep = new ReadOptions();
                WriteBatch batch = new WriteBatch()) {
            reader.open(sst.toString());
            try (SstFileReaderIterator each = reader.newIterator(sweep)) {
                for (each.seekToFirst(); each.isValid(); each.next()) {
                    batch.put(data, each.key(), each.value());
                }
                each.status();
            }
            db.write(synced, batch);
            Files.delete(sst);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        try {
            return db.get(data, key);
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public SublevelMap tree() {
        return Trees.map(db, data, LEVELS - 1);
    }

    @Override
    public boolean putMetadata(byte[] key, byte[] value) {
        try {
            db.put(metadata, unsynced, key, value);
            return true;
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void flushMetadata() {
        flush(List.of(metadata), false);
    }

    private void flush(List<ColumnFamilyHandle> which, boolean wait) {
        try (FlushOptions flush = new FlushOptions().setWaitForFlush(wait)) {
            for (ColumnFamilyHandle family : which) {
                db.flush(flush, family);
            }
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void finalizeIngest(Deadline patience) {
        flush(families, true);
        int quiet = 0;
        while (quiet < QUIET_POLLS) {
            patience.sleep(POLL_MILLIS);
            quiet = busy() ? 0 : quiet + 1;
        }
    }

    private boolean busy() {
        try {
            for (String property : BUSY) {
                for (ColumnFamilyHandle family : families) {
                    if (db.getLongProperty(family, property) != 0) {
                        return true;
                    }
                }
            }
            return false;
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public long bytesWritten() {
        return statistics.getTickerCount(TickerType.WAL_FILE_BYTES)
                + statistics.getTickerCount(TickerType.FLUSH_WRITE_BYTES)
                + statistics.getTickerCount(TickerType.COMPACT_WRITE_BYTES);
    }

    @Override
    public void close() {
        db.cancelAllBackgroundWork(true);
        families.forEach(ColumnFamilyHandle::close);
        db.close();
        options.close();
        familyOptions.close();
        unsynced.close();
        synced.close();
        statistics.close();
        bloom.close();
        cache.close();
    }
}
