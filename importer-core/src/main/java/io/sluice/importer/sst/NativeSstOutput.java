package io.sluice.importer.sst;

import io.sluice.api.node.SstBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.EnvOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;

/** An SST that RocksDB's own writer writes, with one native call per KV. */
final class NativeSstOutput implements SstOutput {
    private static final int FIRST_BUFFER_BYTES = 4 << 10;

    private final Path path;
    private final SstFileWriter writer;

    /** Key and value on their way into native memory: views of one direct buffer. */
    private ByteBuffer transfer;

    private ByteBuffer keyView;
    private ByteBuffer valueView;
    private boolean finished;

    NativeSstOutput(Path path, EnvOptions env, Options options) throws IOException {
        this.path = path;
        transfer = ByteBuffer.allocateDirect(FIRST_BUFFER_BYTES);
        keyView = transfer.duplicate();
        valueView = transfer.duplicate();
        writer = new SstFileWriter(env, options);
        try {
            writer.open(path.toString());
        } catch (RocksDBException e) {
            writer.close();
            throw failure(e);
        }
    }

    @Override
    public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException {
        int length = keyLength + valueLength;
        if (length > transfer.capacity()) {
            transfer = ByteBuffer.allocateDirect(2 * length);
            keyView = transfer.duplicate();
            valueView = transfer.duplicate();
        }
        transfer.clear().put(buffer, keyOffset, length);
        keyView.limit(keyLength).position(0);
        valueView.limit(length).position(keyLength);
        try {
            writer.put(keyView, valueView);
        } catch (RocksDBException e) {
            throw failure(e);
        }
    }

    @Override
    public Finished finish() throws IOException {
        try {
            writer.finish();
        } catch (RocksDBException e) {
            throw failure(e);
        }
        finished = true;
        return new Finished(new SstBytes.OnDisk(path), Files.size(path));
    }

    private IOException failure(RocksDBException e) {
        return new IOException(path + ": " + e.getMessage(), e);
    }

    @Override
    public void close() throws IOException {
        writer.close();
        if (!finished) {
            Files.deleteIfExists(path);
        }
    }
}
