package io.sluice.engine.store;

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
import org.rocksdb.RocksDB;
import org.rocksdb.Statistics;

/**
 * All RocksDB options, each with its reason. Owns the native option objects; the caller closes it after the database.
 *
 * <p>Every way into RocksDB begins here, so this class loads its native library, once per process. The loader searches
 * {@code java.library.path} first. If the library is not there, the loader unpacks it from the jar into
 * {@code ROCKSDB_SHAREDLIB_DIR} (an environment variable), or into the temporary directory, where a killed process
 * leaves it.
 */
final class StoreOptions implements AutoCloseable {
    static {
        RocksDB.loadLibrary();
    }

    /**
     * Levels of a table's LSM tree. An ingested file goes to the deepest level above every file that it overlaps. So
     * levels act as Pebble's L0 sublevels, and their number is how high SSTs may stack before files stay in level 0. 64
     * leaves room above the hard admission limit of 56.
     */
    static final int DATA_LEVELS = 64;

    private static final long BLOCK_BYTES = 16 << 10;
    /** Bits for a false positive rate of 1 %. */
    private static final double BLOOM_BITS_PER_KEY = 10;
    /** The catalog has some kilobytes; it does not need the default memtable of 64 MB. */
    private static final long META_MEMTABLE_BYTES = 1 << 20;
    /** Table data is ingested, not put, so its memtables stay empty until live writes come. */
    private static final long DATA_MEMTABLE_BYTES = 32L << 20;
    /**
     * Open files kept. At 64 MB an SST that covers 128 GB without reopening any, and stays below the usual limit of
     * 4096 descriptors per process.
     */
    private static final int MAX_OPEN_FILES = 2048;

    /**
     * Memtable of a small-SST buffer. The buffer is flushed at 64 MiB of KVs. Skip list nodes and the KVs that arrive
     * during the flush add half of that. RocksDB should not flush the memtable before.
     */
    private static final long SMALL_SST_MEMTABLE_BYTES = 96L << 20;
    /**
     * The log of two small-SST buffers, one filling and one in flush: with less, RocksDB would flush their memtables to
     * free the log. Reading that much after a crash takes about a second.
     */
    private static final long MAX_WAL_BYTES = 192L << 20;

    /**
     * Written bytes after which RocksDB asks the kernel to write them to disk. Without this, writing begins when a
     * complete file of 64 MiB is synced, and the compaction waits; RocksDB advises 1 MiB.
     */
    private static final long BYTES_PER_SYNC = 1L << 20;

    /**
     * The least part of a compaction for one thread. RocksDB takes the size of a level's files for it, by default 64
     * MiB; the size of outputs is an option of each compaction.
     */
    private static final long SMALLEST_PART_BYTES = 8L << 20;
    /**
     * Bytes of the next level that one output may overlap: RocksDB's default for files of 64 MiB. By the size above it
     * would be an eighth, and outputs over a large level as much smaller.
     */
    private static final long MOST_OVERLAP_BYTES = 25 * (64L << 20);

    private static final int KEEP_LOGS = 3;

    private final Cache cache;
    private final BloomFilter bloom = new BloomFilter(BLOOM_BITS_PER_KEY);
    private final Statistics statistics = new Statistics(EnumSet.allOf(HistogramType.class));
    private final DBOptions db;
    private final ColumnFamilyOptions meta;
    private final ColumnFamilyOptions data;
    private final ColumnFamilyOptions smallSsts;

    StoreOptions(long blockCacheBytes) {
        cache = new LRUCache(blockCacheBytes);
        // No statistics dumps: they are not read and cost CPU. Of the statistics, counters only.
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
                // The write-ahead log has all writes, so closing need not wait for flushes.
                .setAvoidFlushDuringShutdown(true);
        meta = new ColumnFamilyOptions()
                .setWriteBufferSize(META_MEMTABLE_BYTES)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setTableFormatConfig(table());
        data = new ColumnFamilyOptions()
                .setNumLevels(DATA_LEVELS)
                // Either of these two would move files between levels, and levels would no longer act as sublevels.
                .setDisableAutoCompactions(true)
                .setLevelCompactionDynamicLevelBytes(false)
                .setTargetFileSizeBase(SMALLEST_PART_BYTES)
                .setMaxCompactionBytes(MOST_OVERLAP_BYTES)
                .setWriteBufferSize(DATA_MEMTABLE_BYTES)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setTableFormatConfig(table());
        smallSsts = new ColumnFamilyOptions()
                .setWriteBufferSize(SMALL_SST_MEMTABLE_BYTES)
                // The buffer is read once, in order, and dropped.
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
                // RocksDB's library for Java computes CRC32C without the processor's instruction: ten times the CPU.
                .setChecksumType(ChecksumType.kXXH3);
    }

    Statistics statistics() {
        return statistics;
    }

    DBOptions db() {
        return db;
    }

    ColumnFamilyOptions family(String name) {
        if (FamilyNames.isSmallSsts(name)) {
            return smallSsts;
        }
        return FamilyNames.isTable(name) ? data : meta;
    }

    /**
     * Options to read an SST outside any tree. The caller closes them. The file is memory-mapped: it was just written,
     * and reading it from the page cache saves a copy.
     */
    static Options sstReading() {
        return new Options().setAllowMmapReads(true);
    }

    /** Options to write an SST outside any tree; they own a filter policy. */
    record Stray(Options options, BloomFilter bloom) implements AutoCloseable {
        @Override
        public void close() {
            options.close();
            bloom.close();
        }
    }

    /** Options to write an SST for ingestion. The caller closes them. */
    static Stray sstWriting() {
        BloomFilter bloom = new BloomFilter(BLOOM_BITS_PER_KEY);
        Options options =
                new Options().setCompressionType(CompressionType.NO_COMPRESSION).setTableFormatConfig(layout(bloom));
        return new Stray(options, bloom);
    }

    @Override
    public void close() {
        db.close();
        smallSsts.close();
        meta.close();
        data.close();
        bloom.close();
        statistics.close();
        cache.close();
    }
}
