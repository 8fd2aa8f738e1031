package io.sluice.importer.sst;

import io.sluice.api.node.SampledKeys;
import io.sluice.api.node.SstFile;
import io.sluice.importer.sort.KvSink;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;

/**
 * Builds one SST. Recomputes the checksum of every KV from the bytes that go in and compares it with the one from
 * encoding: this finds damage in sort buffers, spilled runs and merges. One thread adds; another may then call
 * {@link #finish}. Always close it: closing removes a file that was not finished, and frees memory.
 */
public final class SstBuilder implements KvSink, AutoCloseable {
    private final UUID id;
    private final SampledKeys samples;
    private final IndexDigest index;
    private final SstOutput output;
    private final KvChecksum.Accumulator sum;

    private byte[] smallestKey = new byte[0];
    private byte[] largestKey = new byte[64];
    private int largestKeyLength;

    /**
     * Begins an SST for KVs of one index.
     *
     * @param directory directory of its file, if the format puts SSTs in files
     */
    public SstBuilder(Path directory, IndexDigest index, SstFormat format) throws IOException {
        this(UUID.randomUUID(), directory, index, format);
    }

    /**
     * Begins an SST as the other constructor, with a given id.
     *
     * @param id id that no other SST has, but those of other attempts at the same work
     */
    public SstBuilder(UUID id, Path directory, IndexDigest index, SstFormat format) throws IOException {
        this.id = id;
        samples = new SampledKeys(id);
        this.index = index;
        sum = new KvChecksum.Accumulator(index);
        output = format.create(directory, id);
    }

    /**
     * Adds a KV.
     *
     * @throws OperationFailedException when its checksum is not that of its bytes
     */
    @Override
    public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException {
        boolean first = isEmpty();
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
        return sum.bytes() == 0;
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
     * Writes what is left, syncs a file if the format demands it, and tells what is in it. The caller becomes its
     * owner.
     */
    public SstFile finish() throws IOException {
        SstOutput.Finished written = output.finish();
        return new SstFile(
                id,
                written.bytes(),
                index.indexId(),
                smallestKey,
                largestKey(),
                written.length(),
                sum.sum(),
                samples.keys());
    }

    @Override
    public void close() throws IOException {
        output.close();
    }
}
