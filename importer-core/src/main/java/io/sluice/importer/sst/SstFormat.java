package io.sluice.importer.sst;

import io.sluice.importer.sst.table.TableWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ChecksumType;
import org.rocksdb.CompressionType;
import org.rocksdb.EnvOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/**
 * The layout of SSTs and the code that writes them. Owns the native option handles that all {@link SstBuilder}s of an
 * import share, if there are any: close it after the last of them. Thread-safe.
 */
public final class SstFormat implements AutoCloseable {
    /** The code that writes SSTs. Both give the same data blocks. */
    public enum Writer {
        /** {@link TableWriter}: plain Java, without a native call per KV. */
        JAVA,
        /** RocksDB's SstFileWriter. */
        ROCKSDB
    }

    /** The place of SSTs. {@link Writer#ROCKSDB} has only synced files. */
    public enum Place {
        /** In files that survive a power loss. */
        SYNCED_FILES,
        FILES,
        MEMORY
    }

    private final @Nullable NativeFormat nativeFormat;
    private final Place place;
    private final ChunkPool memory = new ChunkPool();

    /** SSTs that {@link Writer#JAVA} writes to synced files. */
    public SstFormat() {
        this(Writer.JAVA, Place.SYNCED_FILES);
    }

    /** SSTs that {@code writer} writes. */
    public SstFormat(Writer writer, Place place) {
        this.place = place;
        nativeFormat = writer == Writer.ROCKSDB ? new NativeFormat() : null;
    }

    /**
     * Begins one SST.
     *
     * @param directory directory of its file, if it gets one
     */
    SstOutput create(Path directory, UUID id) throws IOException {
        if (nativeFormat == null && place == Place.MEMORY) {
            return new MemorySstOutput(memory, id);
        }
        Path path = directory.resolve(id + ".sst");
        return nativeFormat == null
                ? new JavaSstOutput(path, id, place == Place.SYNCED_FILES)
                : new NativeSstOutput(path, nativeFormat.env, nativeFormat.options);
    }

    @Override
    public void close() {
        if (nativeFormat != null) {
            nativeFormat.close();
        }
    }

    /** The options of RocksDB's writer for the layout that {@link TableWriter} documents. */
    private static final class NativeFormat implements AutoCloseable {
        /** Lets the kernel begin to write while the file grows, so that the final sync has little left to do. */
        private static final long SYNC_EVERY_BYTES = 2 << 20;

        static {
            // Before the first native handle, whichever that is.
            RocksDB.loadLibrary();
        }

        private final BloomFilter bloom = new BloomFilter(TableWriter.BLOOM_BITS_PER_KEY);
        private final EnvOptions env = new EnvOptions();
        private final Options options;

        NativeFormat() {
            env.setBytesPerSync(SYNC_EVERY_BYTES);
            options = new Options()
                    .setBytesPerSync(SYNC_EVERY_BYTES)
                    .setCompressionType(CompressionType.NO_COMPRESSION)
                    .setTableFormatConfig(new BlockBasedTableConfig()
                            .setBlockSize(TableWriter.BLOCK_BYTES)
                            .setFilterPolicy(bloom)
                            .setFormatVersion(TableWriter.FORMAT_VERSION)
                            .setChecksumType(ChecksumType.kXXH3));
        }

        @Override
        public void close() {
            options.close();
            env.close();
            bloom.close();
        }
    }
}
