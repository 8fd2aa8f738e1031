package io.sluice.engine.store;

import io.sluice.model.error.OperationFailedException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.rocksdb.EnvOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;

/** Writes an SST on the node, in the format of the node's trees. For one thread; the caller closes it. */
public final class SstWriter implements AutoCloseable {
    private final Path path;
    private final EnvOptions env = new EnvOptions();
    private final StoreOptions.Stray format = StoreOptions.sstWriting();
    private final SstFileWriter writer;
    private long bytes;

    /** Creates the file. */
    public SstWriter(Path path) {
        this.path = path;
        writer = new SstFileWriter(env, format.options());
        try {
            writer.open(path.toString());
        } catch (RocksDBException e) {
            close();
            throw failed(e);
        }
    }

    /** Adds a KV. Keys must ascend. */
    public void add(byte[] key, byte[] value) {
        try {
            writer.put(key, value);
            bytes += key.length + value.length;
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    /** Adds a tombstone. Keys must ascend. */
    public void delete(byte[] key) {
        try {
            writer.delete(key);
            bytes += key.length;
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    /** Adds a KV from direct buffers, whose positions do not change. Keys must ascend. */
    public void add(ByteBuffer key, ByteBuffer value) {
        try {
            int keyAt = key.position();
            int valueAt = value.position();
            bytes += key.remaining() + value.remaining();
            writer.put(key, value);
            // RocksDB advances both positions to their limits.
            key.position(keyAt);
            value.position(valueAt);
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    /** The path of the file. */
    public Path path() {
        return path;
    }

    /** Length of all keys and values so far. */
    public long bytes() {
        return bytes;
    }

    /** Writes the rest of the file and syncs it. */
    public void finish() {
        try {
            writer.finish();
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    private OperationFailedException failed(RocksDBException e) {
        return StoreErrors.failed("write SST " + path.getFileName(), e);
    }

    @Override
    public void close() {
        writer.close();
        format.close();
        env.close();
    }
}
