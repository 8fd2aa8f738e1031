package io.sluice.importer.sst;

import io.sluice.api.node.SampledKeys;
import io.sluice.api.node.SstFile;
import io.sluice.importer.sort.KvSink;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;

/**
 * Builds one SST. Recomputes the checksum of every KV from the bytes that go in and compares it with the one from
 * encoding: this finds damage in sort buffers, spilled runs and merges. One thread adds; another may then call
 * {@link #finish}. Always close it: closing removes a file that was not finished.
 */
public final class SstBuilder implements KvSink, AutoCloseable {
    private final UUID id = UUID.randomUUID();
    private final SampledKeys samples = new SampledKeys(id);
    private final Path path;
    private final IndexDigest index;
    private final SstOutput output;
    private final KvChecksum.Accumulator sum;

    private byte[] smallestKey = new byte[0];
    private byte[] largestKey = new byte[64];
    private int largestKeyLength;
    private boolean finished;

    /** Begins an SST for KVs of one index. */
    public SstBuilder(Path directory, IndexDigest index, SstFormat format) throws IOException {
        this.index = index;
        sum = new KvChecksum.Accumulator(index);
        path = directory.resolve(id + ".sst");
        output = format.create(path, id);
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
        output.add(buffer, keyOffset, keyLength, valueLength);
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

    /**
     * Writes what is left, syncs the file if the format demands it, and tells what is in it. The caller becomes its
     * owner.
     */
    public SstFile finish() throws IOException {
        long fileBytes = output.finish();
        SstFile file =
                new SstFile(id, path, index.indexId(), smallestKey, largestKey(), fileBytes, sum.sum(), samples.keys());
        finished = true;
        return file;
    }

    @Override
    public void close() throws IOException {
        output.close();
        if (!finished) {
            Files.deleteIfExists(path);
        }
    }
}
