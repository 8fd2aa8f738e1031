package io.sluice.importer.sst;

import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ChecksumType;
import org.rocksdb.CompressionType;
import org.rocksdb.EnvOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/**
 * How SSTs are laid out. Owns the native option handles that all {@link SstBuilder}s of an import share: close it after
 * the last of them.
 */
public final class SstFormat implements AutoCloseable {
    /** Large enough that the index stays small, small enough that a point read does not pay for much else. */
    private static final long BLOCK_BYTES = 16 << 10;
    /** About 1% false positives; cuts a miss to a fifth, and reads through many levels to a third. */
    private static final double BLOOM_BITS_PER_KEY = 10;
    /** Lets the kernel begin to write while the file grows, so that the final sync has little left to do. */
    private static final long SYNC_EVERY_BYTES = 2 << 20;

    static {
        // Before the first native handle, whichever that is.
        RocksDB.loadLibrary();
    }

    private final BloomFilter bloom = new BloomFilter(BLOOM_BITS_PER_KEY);
    private final EnvOptions env = new EnvOptions();
    private final Options options;

    public SstFormat() {
        env.setBytesPerSync(SYNC_EVERY_BYTES);
        options = new Options()
                .setBytesPerSync(SYNC_EVERY_BYTES)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setBlockSize(BLOCK_BYTES)
                        .setFilterPolicy(bloom)
                        .setChecksumType(ChecksumType.kXXH3));
    }

    EnvOptions env() {
        return env;
    }

    Options options() {
        return options;
    }

    @Override
    public void close() {
        options.close();
        env.close();
        bloom.close();
    }
}
