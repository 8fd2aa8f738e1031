package io.sluice.engine.store;

import io.sluice.model.kv.KeySpan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;
import org.rocksdb.TableProperties;

/** Reads the key spans of SSTs before they are ingested, each from the first key to the last. */
final class SstSpans {
    private static final KeySpan EVERYTHING = KeySpan.ofPrefix(new byte[0]);

    private SstSpans() {}

    /**
     * One span per file. Reads two blocks of each.
     *
     * <p>A file with deletions has the span of all keys, because readers of files skip tombstones. An ingested deletion
     * removes a row's entries in all indexes, which are scattered over most keys anyway.
     */
    static List<KeySpan> of(List<Path> files) {
        List<KeySpan> spans = new ArrayList<>();
        for (Path file : files) {
            try (Options options = StoreOptions.sstReading();
                    SstFileReader reader = new SstFileReader(options);
                    ReadOptions reading = new ReadOptions()) {
                reader.open(file.toString());
                add(reader, reading, spans);
            } catch (RocksDBException e) {
                throw StoreErrors.failed("read SST " + file.getFileName(), e);
            }
        }
        return spans;
    }

    private static void add(SstFileReader reader, ReadOptions reading, List<KeySpan> spans) throws RocksDBException {
        TableProperties properties = reader.getTableProperties();
        if (properties.getNumDeletions() + properties.getNumRangeDeletions() > 0) {
            spans.add(EVERYTHING);
            return;
        }
        try (SstFileReaderIterator iterator = reader.newIterator(reading)) {
            iterator.seekToFirst();
            if (iterator.isValid()) {
                byte[] first = iterator.key();
                iterator.seekToLast();
                byte[] last = iterator.key();
                spans.add(new KeySpan(first, Arrays.copyOf(last, last.length + 1)));
            }
            iterator.status();
        }
    }
}
