package io.sluice.importer.sst;

import io.sluice.api.node.SstFile;
import io.sluice.importer.sort.Run;
import io.sluice.importer.sort.RunCursor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;

/**
 * A finished SST that turned out to overlap others and is merged again. Reading through RocksDB's iterator costs some
 * 400 ns a KV: the exception, not the rule. Closing it deletes the file.
 */
public final class SstRun implements Run {
    private static final int SAMPLES = 64;
    private static final long READAHEAD_BYTES = 2 << 20;

    private final SstFile file;

    public SstRun(SstFile file) {
        this.file = file;
    }

    @Override
    public long bytes() {
        return file.sum().bytes();
    }

    @Override
    public byte[] smallestKey() {
        return file.smallestKey();
    }

    @Override
    public byte[] largestKey() {
        return file.largestKey();
    }

    @Override
    public void sample(KeySample sample) {
        // Of a table with several column families, an entry may be several KVs: then there are more samples.
        long count = file.sum().count();
        long step = Math.max(1, count / SAMPLES);
        long share = bytes() * step / Math.max(1, count);
        try (RunCursor cursor = cursor(null, null)) {
            for (long i = 1; cursor.advance(); i++) {
                if (i % step == 0) {
                    byte[] key = new byte[cursor.keyLength()];
                    System.arraycopy(cursor.buffer(), cursor.keyOffset(), key, 0, key.length);
                    sample.key(key, share);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public RunCursor cursor(byte @Nullable [] from, byte @Nullable [] to) throws IOException {
        return new Cursor(from, to);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file.path());
    }

    private final class Cursor extends RunCursor {
        private final byte @Nullable [] to;
        private final Options options = new Options();
        private final ReadOptions readOptions =
                new ReadOptions().setReadaheadSize(READAHEAD_BYTES).setFillCache(false);
        private final SstFileReader reader = new SstFileReader(options);
        private final SstFileReaderIterator iterator;
        private boolean started;
        private byte[] entry = new byte[1 << 10];

        Cursor(byte @Nullable [] from, byte @Nullable [] to) throws IOException {
            this.to = to;
            try {
                reader.open(file.path().toString());
            } catch (RocksDBException e) {
                reader.close();
                readOptions.close();
                options.close();
                throw new IOException(file.path() + ": " + e.getMessage(), e);
            }
            iterator = reader.newIterator(readOptions);
            if (from == null) {
                iterator.seekToFirst();
            } else {
                iterator.seek(from);
            }
        }

        @Override
        public boolean advance() throws IOException {
            if (started) {
                iterator.next();
            }
            started = true;
            if (!iterator.isValid()) {
                try {
                    iterator.status();
                } catch (RocksDBException e) {
                    throw new IOException(file.path() + ": " + e.getMessage(), e);
                }
                return false;
            }
            byte[] key = iterator.key();
            byte[] value = iterator.value();
            int length = key.length + value.length;
            if (length > entry.length) {
                entry = new byte[2 * length];
            }
            System.arraycopy(key, 0, entry, 0, key.length);
            System.arraycopy(value, 0, entry, key.length, value.length);
            set(entry, 0, key.length, value.length);
            return isBelow(to);
        }

        @Override
        public void close() {
            iterator.close();
            reader.close();
            readOptions.close();
            options.close();
        }
    }
}
