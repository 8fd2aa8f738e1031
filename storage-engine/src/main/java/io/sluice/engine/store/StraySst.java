package io.sluice.engine.store;

import java.nio.file.Path;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;
import org.rocksdb.WriteBatch;

/** Reads an SST file outside any tree. */
final class StraySst {
    private StraySst() {}

    /** Adds all KVs of the file to a batch. */
    static Puts copy(Path file, WriteBatch batch, ColumnFamilyHandle target) throws RocksDBException {
        try (Options options = StoreOptions.sstReading();
                SstFileReader reader = new SstFileReader(options);
                ReadOptions reading = new ReadOptions()) {
            reader.open(file.toString());
            long kvs = 0;
            long bytes = 0;
            try (SstFileReaderIterator iterator = reader.newIterator(reading)) {
                for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                    byte[] key = iterator.key();
                    byte[] value = iterator.value();
                    batch.put(target, key, value);
                    kvs++;
                    bytes += key.length + value.length;
                }
                iterator.status();
            }
            return new Puts(kvs, bytes);
        }
    }
}
