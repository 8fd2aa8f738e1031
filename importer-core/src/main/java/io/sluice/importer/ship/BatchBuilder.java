package io.sluice.importer.ship;

import io.sluice.api.node.ShuffleBatch;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.UUID;

/** Fills a batch of KVs. For one thread at a time; the shipper owns the memory and reuses it. */
public final class BatchBuilder {
    /** The two lengths before every KV. */
    private static final int LENGTHS_BYTES = 8;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private IndexDigest index;
    private KvChecksum.Accumulator sum;
    private byte[] kvs;
    private int used;

    BatchBuilder(IndexDigest index, int bytes) {
        this.index = index;
        sum = new KvChecksum.Accumulator(index);
        kvs = new byte[bytes];
    }

    void begin(IndexDigest of, int bytes) {
        index = of;
        used = 0;
        sum = new KvChecksum.Accumulator(of);
        if (kvs.length > bytes) {
            // A long KV made the array grow; shrink it again.
            kvs = new byte[bytes];
        }
    }

    /** Whether a KV of that length fits; every KV fits an empty batch. */
    public boolean hasRoom(int keyAndValueBytes) {
        return used == 0 || LENGTHS_BYTES + keyAndValueBytes <= kvs.length - used;
    }

    /**
     * Copies a KV.
     *
     * @param buffer holds key and value, the value right after the key
     */
    public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) {
        int length = keyLength + valueLength;
        if (used + LENGTHS_BYTES + length > kvs.length) {
            kvs = Arrays.copyOf(kvs, used + LENGTHS_BYTES + length);
        }
        INT.set(kvs, used, keyLength);
        INT.set(kvs, used + Integer.BYTES, valueLength);
        System.arraycopy(buffer, keyOffset, kvs, used + LENGTHS_BYTES, length);
        used += LENGTHS_BYTES + length;
        sum.add(buffer, keyOffset, keyLength, valueLength);
    }

    /** The checksum of the batch's KVs. */
    public KvChecksum sum() {
        return sum.sum();
    }

    /** A copy of the first key; the batch must not be empty. */
    byte[] firstKey() {
        return Arrays.copyOfRange(kvs, LENGTHS_BYTES, LENGTHS_BYTES + (int) INT.get(kvs, 0));
    }

    /** Returns the batch with a new id; it shares this builder's memory. */
    ShuffleBatch batch(int part) {
        return new ShuffleBatch(UUID.randomUUID(), part, index.indexId(), kvs, used, sum.sum());
    }
}
