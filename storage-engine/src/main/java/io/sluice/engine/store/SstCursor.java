package io.sluice.engine.store;

import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KeySpan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;
import org.rocksdb.TableProperties;
import org.rocksdb.WriteBatch;

/** A cursor over the KVs of an SST outside any tree, in key order. For one thread; the caller closes it. */
public final class SstCursor implements AutoCloseable {
    private static final KeySpan EVERYTHING = KeySpan.ofPrefix(new byte[0]);

    private final String step;
    private final Options options = StoreOptions.sstReading();
    private final SstFileReader reader;
    private final ReadOptions reading = new ReadOptions();
    private final SstFileReaderIterator iterator;

    /** Opens a cursor at the first KV. */
    public SstCursor(Path file) {
        this(file, "read SST " + file.getFileName());
    }

    /**
     * Opens a cursor at the first KV.
     *
     * @param step what the caller does with the file, for the message of an error
     */
    SstCursor(Path file, String step) {
        this.step = step;
        reader = new SstFileReader(options);
        try {
            reader.open(file.toString());
        } catch (RocksDBException e) {
            reader.close();
            reading.close();
            options.close();
            throw failed(e);
        }
        iterator = reader.newIterator(reading);
        iterator.seekToFirst();
    }

    /**
     * Verifies the checksum of every block, which reads the whole file, and opens a cursor at the first KV.
     *
     * @throws OperationFailedException when the file is not an SST or is damaged
     */
    public static SstCursor verified(Path file) {
        SstCursor cursor = new SstCursor(file, "take SST " + file.getFileName());
        try {
            cursor.reader.verifyChecksum();
            return cursor;
        } catch (RocksDBException e) {
            cursor.close();
            throw cursor.failed(e);
        }
    }

    /**
     * The key spans of SSTs that are not empty, each from the first key to the last. Reads two blocks of each.
     *
     * <p>A file with deletions has the span of all keys, because readers of files skip tombstones. An ingested deletion
     * removes a row's entries in all indexes, which are scattered over most keys anyway.
     */
    static List<KeySpan> spans(List<Path> files) {
        List<KeySpan> spans = new ArrayList<>();
        for (Path file : files) {
            try (SstCursor cursor = new SstCursor(file)) {
                if (cursor.deletions() > 0) {
                    spans.add(EVERYTHING);
                } else if (cursor.valid()) {
                    byte[] first = cursor.key();
                    cursor.seekToLast();
                    if (cursor.valid()) {
                        spans.add(new KeyBounds(first, cursor.key()).span());
                    }
                }
            }
        }
        return spans;
    }

    /** Adds all KVs from here on to a batch. */
    Puts addTo(WriteBatch batch, ColumnFamilyHandle target) throws RocksDBException {
        long kvs = 0;
        long bytes = 0;
        for (; valid(); next()) {
            byte[] key = key();
            byte[] value = value();
            batch.put(target, key, value);
            kvs++;
            bytes += key.length + value.length;
        }
        return new Puts(kvs, bytes);
    }

    /** The number of KVs and tombstones in the file. */
    public long entries() {
        return properties().getNumEntries();
    }

    /** The number of tombstones in the file, of points and of ranges. */
    public long deletions() {
        TableProperties properties = properties();
        return properties.getNumDeletions() + properties.getNumRangeDeletions();
    }

    private TableProperties properties() {
        try {
            return reader.getTableProperties();
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    private OperationFailedException failed(RocksDBException e) {
        return StoreErrors.failed(step, e);
    }

    /** Whether the cursor is at a KV. */
    public boolean valid() {
        if (iterator.isValid()) {
            return true;
        }
        try {
            iterator.status();
            return false;
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    public byte[] key() {
        return iterator.key();
    }

    public byte[] value() {
        return iterator.value();
    }

    /** Moves to the next KV. */
    public void next() {
        iterator.next();
    }

    /** Moves to the previous KV. */
    public void previous() {
        iterator.prev();
    }

    /** Moves to the first KV with a key not less than {@code key}. */
    public void seek(byte[] key) {
        iterator.seek(key);
    }

    /** Moves to the last KV. */
    public void seekToLast() {
        iterator.seekToLast();
    }

    @Override
    public void close() {
        iterator.close();
        reading.close();
        reader.close();
        options.close();
    }
}
