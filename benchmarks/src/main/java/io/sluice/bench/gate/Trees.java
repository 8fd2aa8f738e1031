package io.sluice.bench.gate;

import io.sluice.engine.compact.SublevelMap;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ChecksumType;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.LevelMetaData;
import org.rocksdb.RocksDB;
import org.rocksdb.SstFileMetaData;

/** Measures the tree of a node, and keeps its worst state. Fed by one thread, read by others. */
final class Trees {
    /** As the storage node has it, so that reads cost the same per file. */
    static final long BLOCK_CACHE_BYTES = 64L << 20;

    private static final int DRAWING_COLUMNS = 100;

    private int tallest;
    private int mostFiles;
    private int mostLevel0;
    private SublevelMap worst = SublevelMap.of(List.of(), 0);

    synchronized void look(SublevelMap map) {
        int level0 = map.sublevels().stream()
                .filter(sublevel -> sublevel.level() == 0)
                .mapToInt(sublevel -> sublevel.files().size())
                .sum();
        mostFiles = Math.max(mostFiles, map.fileCount());
        mostLevel0 = Math.max(mostLevel0, level0);
        int height = map.height();
        if (height > tallest || (height == tallest && map.fileCount() > worst.fileCount())) {
            tallest = height;
            worst = map;
        }
    }

    synchronized int tallest() {
        return tallest;
    }

    synchronized int mostFiles() {
        return mostFiles;
    }

    synchronized int mostLevel0() {
        return mostLevel0;
    }

    /** The tree when it was tallest. */
    synchronized String drawing() {
        return worst.describe(DRAWING_COLUMNS);
    }

    /** The storage node's table format. The caller owns filter and cache. */
    static BlockBasedTableConfig format(BloomFilter bloom, Cache cache) {
        return new BlockBasedTableConfig()
                .setBlockSize(16 << 10)
                .setFilterPolicy(bloom)
                .setChecksumType(ChecksumType.kXXH3)
                .setBlockCache(cache);
    }

    static SublevelMap map(RocksDB db, ColumnFamilyHandle family, int bottomLevel) {
        List<LsmFile> files = new ArrayList<>();
        for (LevelMetaData level : db.getColumnFamilyMetaData(family).levels()) {
            for (SstFileMetaData file : level.files()) {
                files.add(new LsmFile(
                        file.fileName().substring(file.fileName().lastIndexOf('/') + 1),
                        level.level(),
                        new KeyBounds(file.smallestKey(), file.largestKey()),
                        file.numEntries(),
                        file.size(),
                        file.largestSeqno()));
            }
        }
        return SublevelMap.of(files, bottomLevel);
    }
}
