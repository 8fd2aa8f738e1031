package io.sluice.bench.gate;

import io.sluice.node.compact.SublevelMap;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * A look into a storage node's database from beside it: a RocksDB secondary instance, which follows the primary's
 * MANIFEST. A storage node shows nobody a table that is being imported, so this is how its reads are timed and its tree
 * is drawn meanwhile, without a line of its code for that.
 */
final class Observer implements AutoCloseable {
    private static final int LEVELS = 64;

    private final Cache cache = new LRUCache(Trees.BLOCK_CACHE_BYTES);
    private final BloomFilter bloom = new BloomFilter(10);
    private final ColumnFamilyOptions familyOptions;
    private final DBOptions options;
    private final RocksDB db;
    private final List<ColumnFamilyHandle> families = new ArrayList<>();

    Observer(Path database, Path own, String family) throws RocksDBException {
        familyOptions = new ColumnFamilyOptions()
                .setNumLevels(LEVELS)
                .setDisableAutoCompactions(true)
                .setLevelCompactionDynamicLevelBytes(false)
                .setTableFormatConfig(Trees.format(bloom, cache));
        // Files that the primary removes must stay readable here.
        options = new DBOptions().setMaxOpenFiles(-1);
        db = RocksDB.openAsSecondary(
                options,
                database.toString(),
                own.toString(),
                List.of(
                        new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, familyOptions),
                        new ColumnFamilyDescriptor(family.getBytes(StandardCharsets.UTF_8), familyOptions)),
                families);
    }

    /** The tree as the MANIFEST has it now. */
    SublevelMap tree() {
        try {
            db.tryCatchUpWithPrimary();
        } catch (RocksDBException e) {
            // A file was removed between its mention and its opening: the next look gets over that.
        }
        return Trees.map(db, families.get(1), LEVELS - 1);
    }

    /** A value as of the last look; null also when its file was removed since. */
    byte @Nullable [] get(byte[] key) {
        try {
            return db.get(families.get(1), key);
        } catch (RocksDBException e) {
            return null;
        }
    }

    @Override
    public void close() {
        families.forEach(ColumnFamilyHandle::close);
        db.close();
        options.close();
        familyOptions.close();
        bloom.close();
        cache.close();
    }
}
