package io.sluice.node.shuffle;

import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ChecksumType;
import org.rocksdb.CompactionOptionsUniversal;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Options;
import org.rocksdb.Statistics;
import org.rocksdb.StatsLevel;

/**
 * RocksDB options for a database that is written once in any order, and read once in key order. Owns the native option
 * objects; the caller closes it after the database.
 */
final class ShuffleOptions implements AutoCloseable {
    /** There are no point reads: large blocks, no filters, no cache. */
    private static final long BLOCK_BYTES = 64 << 10;

    private static final int KEEP_LOGS = 1;
    /** Runs of similar size are compacted together, and never with the few large outputs of earlier compactions. */
    private static final int SIZE_RATIO_PERCENT = 10;

    private final Statistics statistics = new Statistics();
    private final CompactionOptionsUniversal merging;
    private final Options options;

    ShuffleOptions(ShuffleSettings settings) {
        statistics.setStatsLevel(StatsLevel.EXCEPT_DETAILED_TIMERS);
        int runs = settings.runsPerMerge();
        merging = new CompactionOptionsUniversal()
                .setSizeRatio(SIZE_RATIO_PERCENT)
                .setMinMergeWidth(Math.max(2, runs / 2))
                // Keys are not overwritten, except by mistake: a full compaction would save no space.
                .setMaxSizeAmplificationPercent(Integer.MAX_VALUE);
        options = new Options()
                .setCreateIfMissing(true)
                .setWriteBufferSize(settings.memtableBytes())
                .setMaxWriteBufferNumber(settings.memtables())
                .setCompactionStyle(CompactionStyle.UNIVERSAL)
                .setCompactionOptionsUniversal(merging)
                .setLevel0FileNumCompactionTrigger(runs)
                .setLevel0SlowdownWritesTrigger(2 * runs)
                .setLevel0StopWritesTrigger(3 * runs)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setBlockSize(BLOCK_BYTES)
                        .setNoBlockCache(true)
                        .setChecksumType(ChecksumType.kXXH3))
                .setMaxOpenFiles(-1)
                .setStatistics(statistics)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setKeepLogFileNum(KEEP_LOGS)
                .setStatsDumpPeriodSec(0)
                .setStatsPersistPeriodSec(0)
                // The log has all writes, so closing need not wait for flushes.
                .setAvoidFlushDuringShutdown(true);
    }

    Options options() {
        return options;
    }

    Statistics statistics() {
        return statistics;
    }

    @Override
    public void close() {
        options.close();
        merging.close();
        statistics.close();
    }
}
