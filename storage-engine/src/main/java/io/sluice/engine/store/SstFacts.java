package io.sluice.engine.store;

import java.nio.file.Path;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;
import org.rocksdb.TableProperties;

/**
 * The properties of an SST file whose block checksums were verified. The arrays are not copied, and must not be
 * changed.
 *
 * @param entries KVs in it
 * @param deletions tombstones in it, of points and of ranges
 * @param smallestKey its first key; empty when it has none
 * @param largestKey its last key; empty when it has none
 */
@SuppressWarnings("ArrayRecordComponent")
public record SstFacts(long entries, long deletions, byte[] smallestKey, byte[] largestKey) {
    private static final byte[] NONE = {};

    /**
     * Verifies the checksum of every block, which reads the whole file, and returns the file's properties.
     *
     * @throws io.sluice.model.error.OperationFailedException when the file is not an SST or is damaged
     */
    public static SstFacts read(Path file) {
        NativeLibrary.load();
        try (Options options = StoreOptions.sstReading();
                SstFileReader reader = new SstFileReader(options)) {
            reader.open(file.toString());
            reader.verifyChecksum();
            TableProperties properties = reader.getTableProperties();
            byte[] smallest = NONE;
            byte[] largest = NONE;
            try (ReadOptions reading = new ReadOptions();
                    SstFileReaderIterator iterator = reader.newIterator(reading)) {
                iterator.seekToFirst();
                if (iterator.isValid()) {
                    smallest = iterator.key();
                    iterator.seekToLast();
                    largest = iterator.isValid() ? iterator.key() : NONE;
                }
                iterator.status();
            }
            return new SstFacts(
                    properties.getNumEntries(),
                    properties.getNumDeletions() + properties.getNumRangeDeletions(),
                    smallest,
                    largest);
        } catch (RocksDBException e) {
            throw StoreErrors.failed("take SST " + file.getFileName(), e);
        }
    }
}
