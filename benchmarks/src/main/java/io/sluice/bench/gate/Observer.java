package io.sluice.bench.gate;

import io.sluice.engine.compact.SublevelMap;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
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
 * Reads a storage node's database through a RocksDB secondary instance, which follows the primary's MANIFEST. A storage
 * node hides a table during its import. The observer times reads and draws the tree meanwhile, without any code in the
 * node.
 *
 * <p>An instance cannot continue once the primary has dropped a column family that was created after the instance was
 * opened, such as a small-SST buffer. The observer then reopens it, past that point.
 */
final class Observer implements AutoCloseable {
    private static final int LEVELS = 64;

    private final Path database;
    private final Path own;
    private final String family;
    private final Cache cache = new LRUCache(Trees.BLOCK_CACHE_BYTES);
    private final BloomFilter bloom = new BloomFilter(10);
    private final ColumnFamilyOptions familyOptions;
    private final DBOptions options;
    /** Read: using the instance. Write: replacing it. */
    private final ReadWriteLock replacing = new ReentrantReadWriteLock();

    private Instance instance;

    /** An open secondary. */
    private record Instance(RocksDB db, List<ColumnFamilyHandle> families) implements AutoCloseable {
        ColumnFamilyHandle table() {
            return families.get(1);
        }

        @Override
        public void close() {
            families.forEach(ColumnFamilyHandle::close);
            db.close();
        }
    }

    Observer(Path database, Path own, String family) throws RocksDBException {
        this.database = database;
        this.own = own;
        this.family = family;
        familyOptions = new ColumnFamilyOptions()
                .setNumLevels(LEVELS)
                .setDisableAutoCompactions(true)
                .setLevelCompactionDynamicLevelBytes(false)
                .setTableFormatConfig(Trees.format(bloom, cache));
        // Files that the primary removes must stay readable here.
        options = new DBOptions().setMaxOpenFiles(-1);
        instance = open();
    }

    private Instance open() throws RocksDBException {
        List<ColumnFamilyHandle> families = new ArrayList<>();
        RocksDB db = RocksDB.openAsSecondary(
                options,
                database.toString(),
                own.toString(),
                List.of(
                        new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, familyOptions),
                        new ColumnFamilyDescriptor(family.getBytes(StandardCharsets.UTF_8), familyOptions)),
                families);
        return new Instance(db, families);
    }

    /** The tree as the MANIFEST has it now. For one thread. */
    SublevelMap tree() {
        replacing.readLock().lock();
        try {
            instance.db().tryCatchUpWithPrimary();
            return Trees.map(instance.db(), instance.table(), LEVELS - 1);
        } catch (RocksDBException e) {
            // See the class comment; reopened below.
        } finally {
            replacing.readLock().unlock();
        }
        replacing.writeLock().lock();
        try {
            // Opened before the other is closed: an observer that cannot see now still has what it saw.
            Instance next = open();
            instance.close();
            instance = next;
        } catch (RocksDBException e) {
            // A file went between its mention and its opening: the next look gets over that.
        } finally {
            replacing.writeLock().unlock();
        }
        return Trees.map(instance.db(), instance.table(), LEVELS - 1);
    }

    /** A value as of the last look; null also when it cannot be read. */
    byte @Nullable [] get(byte[] key) {
        replacing.readLock().lock();
        try {
            return instance.db().get(instance.table(), key);
        } catch (RocksDBException e) {
            return null;
        } finally {
            replacing.readLock().unlock();
        }
    }

    @Override
    public void close() {
        instance.close();
        options.close();
        familyOptions.close();
        bloom.close();
        cache.close();
    }
}
