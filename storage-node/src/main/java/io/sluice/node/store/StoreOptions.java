package io.sluice.node.store;

import java.util.EnumSet;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ChecksumType;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.HistogramType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.Statistics;

/**
 * All of RocksDB's settings and why they are what they are. Owns the native option objects; close it after the
 * database.
 */
final class StoreOptions implements AutoCloseable {
    /**
     * Levels of a table's LSM tree. An ingested file sinks to the deepest level above every file that it overlaps, so
     * levels are what other stores call sublevels, and their number is how high SSTs may stack before files get stuck
     * in level 0. 64 leaves room above the hard admission limit of 56.
     */
    static final int DATA_LEVELS = 64;

    private static final long BLOCK_BYTES = 16 << 10;
    /** 1 % of the lookups of a missing key still read a block. */
    private static final double BLOOM_BITS_PER_KEY = 10;
    /** The catalog is some kilobytes; there is no sense in holding the default 64 MB for it. */
    private static final long META_MEMTABLE_BYTES = 1 << 20;
    /** Table data is ingested, not put, so its memtables stay empty until live writes come. */
    private static final long DATA_MEMTABLE_BYTES = 32L << 20;
    /**
     * Open files kept. At 64 MB an SST that covers 128 GB without reopening any, and stays below the usual limit of
     * 4096 descriptors per process.
     */
    private static final int MAX_OPEN_FILES = 2048;

    /**
     * Memtable of a landing column family. It is drained at 64 MiB of KVs; skip list nodes and the KVs that come while
     * it is drained add up to half of that, and it should not be flushed in between.
     */
    private static final long LANDING_MEMTABLE_BYTES = 96L << 20;
    /**
     * Two landing memtables, one filling and one draining: with less, RocksDB would flush them to free the log. Reading
     * that much after a crash takes about a second.
     */
    private static final long MAX_WAL_BYTES = 192L << 20;

    /**
     * Written bytes after which the kernel is asked to begin writing them to disk. Without, it begins when a file of 64
     * MiB is synced at its end, and the merge stands still meanwhile; 1 MiB is RocksDB's own advice.
     */
    private static final long BYTES_PER_SYNC = 1L << 20;

    private static final int KEEP_LOGS = 3;

    private final Cache cache;
    private final BloomFilter bloom = new BloomFilter(BLOOM_BITS_PER_KEY);
    private final Statistics statistics = new Statistics(EnumSet.allOf(HistogramType.class));
    private final DBOptions db;
    private final ColumnFamilyOptions meta;
    private final ColumnFamilyOptions data;
    private final ColumnFamilyOptions landing;

    StoreOptions(long blockCacheBytes) {
        cache = new LRUCache(blockCacheBytes);
        // No dumps: nobody reads them and they cost CPU. Of the statistics, counters only.
        db = new DBOptions()
                .setStatistics(statistics)
                .setCreateIfMissing(true)
                .setMaxOpenFiles(MAX_OPEN_FILES)
                .setMaxTotalWalSize(MAX_WAL_BYTES)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setKeepLogFileNum(KEEP_LOGS)
                .setStatsDumpPeriodSec(0)
                .setStatsPersistPeriodSec(0)
                .setBytesPerSync(BYTES_PER_SYNC)
                // The write-ahead log has it all; closing need not wait for flushes.
                .setAvoidFlushDuringShutdown(true);
        meta = new ColumnFamilyOptions()
                .setWriteBufferSize(META_MEMTABLE_BYTES)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setTableFormatConfig(table());
        data = new ColumnFamilyOptions()
                .setNumLevels(DATA_LEVELS)
                // Left on, either of these two would move files about and levels would cease to be sublevels.
                .setDisableAutoCompactions(true)
                .setLevelCompactionDynamicLevelBytes(false)
                .setWriteBufferSize(DATA_MEMTABLE_BYTES)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setTableFormatConfig(table());
        landing = new ColumnFamilyOptions()
                .setWriteBufferSize(LANDING_MEMTABLE_BYTES)
                // It is read once, in order, and dropped.
                .setDisableAutoCompactions(true)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setTableFormatConfig(table());
    }

    private BlockBasedTableConfig table() {
        return layout(bloom).setBlockCache(cache);
    }

    private static BlockBasedTableConfig layout(BloomFilter bloom) {
        return new BlockBasedTableConfig()
                .setBlockSize(BLOCK_BYTES)
                .setFilterPolicy(bloom)
                // CRC32c halves the speed at which SSTs are written here.
                .setChecksumType(ChecksumType.kXXH3);
    }

    Statistics statistics() {
        return statistics;
    }

    DBOptions db() {
        return db;
    }

    /** The options of a column family by its name. */
    ColumnFamilyOptions family(String name) {
        if (RocksStore.isLandingFamily(name)) {
            return landing;
        }
        return RocksStore.isTableFamily(name) ? data : meta;
    }

    /**
     * Options to read a stray SST with. The caller closes them. The file is mapped: it was written a moment ago, and
     * checking it where it lies in the page cache saves copying it.
     */
    static Options sstReading() {
        return new Options().setAllowMmapReads(true);
    }

    /** Options to write a stray SST with; they own a filter policy. */
    record Stray(Options options, BloomFilter bloom) implements AutoCloseable {
        @Override
        public void close() {
            options.close();
            bloom.close();
        }
    }

    /** Options to write an SST with that is to be ingested. The caller closes them. */
    static Stray sstWriting() {
        BloomFilter bloom = new BloomFilter(BLOOM_BITS_PER_KEY);
        Options options =
                new Options().setCompressionType(CompressionType.NO_COMPRESSION).setTableFormatConfig(layout(bloom));
        return new Stray(options, bloom);
    }

    @Override
    public void close() {
        db.close();
        landing.close();
        meta.close();
        data.close();
        bloom.close();
        statistics.close();
        cache.close();
    }
}
