package io.sluice.engine.store;

import io.sluice.model.error.OperationFailedException;
import java.nio.file.Path;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;
import org.rocksdb.TableProperties;

/** A cursor over the KVs of an SST outside any tree, in key order. For one thread; the caller closes it. */
public final class SstCursor implements AutoCloseable {
    private final String step;
    private final Options options = StoreOptions.sstReading();
    private final SstFileReader reader;
    private final ReadOptions reading = new ReadOptions();
    private final SstFileReaderIterator iterator;

    /** Opens a cursor at the first KV. */
    public SstCursor(Path file) {
        this(file, "read SST " + file.getFileName());
    }

    private SstCursor(Path file, String step) {
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
