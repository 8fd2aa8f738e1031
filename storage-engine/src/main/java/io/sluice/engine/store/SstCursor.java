package io.sluice.engine.store;

import java.nio.file.Path;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;

/** A cursor over the KVs of an SST outside any tree, in key order. For one thread; the caller closes it. */
public final class SstCursor implements AutoCloseable {
    private final Path file;
    private final Options options = StoreOptions.sstReading();
    private final SstFileReader reader;
    private final ReadOptions reading = new ReadOptions();
    private final SstFileReaderIterator iterator;

    /** Opens a cursor at the first KV. */
    public SstCursor(Path file) {
        this.file = file;
        reader = new SstFileReader(options);
        try {
            reader.open(file.toString());
        } catch (RocksDBException e) {
            reader.close();
            reading.close();
            options.close();
            throw StoreErrors.failed("read SST " + file.getFileName(), e);
        }
        iterator = reader.newIterator(reading);
        iterator.seekToFirst();
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
            throw StoreErrors.failed("read SST " + file.getFileName(), e);
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

    @Override
    public void close() {
        iterator.close();
        reading.close();
        reader.close();
        options.close();
    }
}
