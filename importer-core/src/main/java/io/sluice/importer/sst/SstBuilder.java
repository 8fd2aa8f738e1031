package io.sluice.importer.sst;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.IndexDigest;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.SampledKeys;
import io.sluice.api.node.SstFile;
import io.sluice.importer.sort.KvSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;

/**
 * One SST being written. The checksum of every KV is worked out anew from the bytes that go in, and must be the one it
 * got when it was encoded: this is where damage in sort buffers, spilled runs and merges is found. Adding is for one
 * thread; {@link #finish} may then be called by another. Close it in any case: a file that was not finished is removed.
 */
public final class SstBuilder implements KvSink, AutoCloseable {
    private static final int FIRST_BUFFER_BYTES = 4 << 10;

    private final UUID id = UUID.randomUUID();
    private final SampledKeys samples = new SampledKeys(id);
    private final Path path;
    private final IndexDigest index;
    private final SstFileWriter writer;
    private final KvChecksum.Accumulator sum;

    /** Key and value on their way into native memory: views of one direct buffer. */
    private ByteBuffer transfer;

    private ByteBuffer keyView;
    private ByteBuffer valueView;

    private byte[] smallestKey = new byte[0];
    private byte[] largestKey = new byte[64];
    private int largestKeyLength;
    private boolean finished;

    /** Begins an SST for KVs of one index. */
    public SstBuilder(Path directory, IndexDigest index, SstFormat format) throws IOException {
        this.index = index;
        sum = new KvChecksum.Accumulator(index);
        path = directory.resolve(id + ".sst");
        transfer = ByteBuffer.allocateDirect(FIRST_BUFFER_BYTES);
        keyView = transfer.duplicate();
        valueView = transfer.duplicate();
        writer = new SstFileWriter(format.env(), format.options());
        try {
            writer.open(path.toString());
        } catch (RocksDBException e) {
            writer.close();
            throw new IOException(path + ": " + e.getMessage(), e);
        }
    }

    /**
     * Adds a KV.
     *
     * @throws OperationFailedException when its checksum is not that of its bytes
     */
    @Override
    public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException {
        boolean first = sum.count() == 0;
        if (!sum.addIntact(buffer, keyOffset, keyLength, valueLength)) {
            throw index.damaged(buffer, keyOffset, keyLength, "the SST");
        }
        samples.offer(sum.bytes(), buffer, keyOffset, keyLength);
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
            throw new IOException(path + ": " + e.getMessage(), e);
        }
        if (first) {
            smallestKey = Arrays.copyOfRange(buffer, keyOffset, keyOffset + keyLength);
        }
        if (keyLength > largestKey.length) {
            largestKey = new byte[2 * keyLength];
        }
        System.arraycopy(buffer, keyOffset, largestKey, 0, keyLength);
        largestKeyLength = keyLength;
    }

    public boolean isEmpty() {
        return sum.count() == 0;
    }

    /** The first key so far. */
    public byte[] smallestKey() {
        return smallestKey;
    }

    /** The last key so far, as a copy. */
    public byte[] largestKey() {
        return Arrays.copyOf(largestKey, largestKeyLength);
    }

    /** Bytes of keys and values so far. */
    public long bytes() {
        return sum.bytes();
    }

    /** Writes what is left, syncs the file, and tells what is in it. The caller becomes its owner. */
    public SstFile finish() throws IOException {
        try {
            writer.finish();
        } catch (RocksDBException e) {
            throw new IOException(path + ": " + e.getMessage(), e);
        }
        SstFile file = new SstFile(
                id, path, index.indexId(), smallestKey, largestKey(), Files.size(path), sum.sum(), samples.keys());
        finished = true;
        return file;
    }

    @Override
    public void close() throws IOException {
        writer.close();
        if (!finished) {
            Files.deleteIfExists(path);
        }
    }
}
