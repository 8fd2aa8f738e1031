package io.sluice.api.node;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * Samples keys of an SST while it is written: one per 16 MiB of KVs, from an offset derived from the SST's random id.
 * The node reads back the 16 KiB block around each sampled key, about a thousandth of the SST. If the SST has no
 * sampled key, the node reads its first block. Not thread-safe.
 */
public final class SampledKeys {
    private static final long EVERY_BYTES = 16L << 20;
    /** Maximum number of keys; they are sent in a header of bounded length. */
    public static final int MOST_KEYS = 16;

    private static final int MOST_KEY_BYTES = 128;

    private final List<byte[]> keys = new ArrayList<>();
    private long next;

    /** Starts the sample of an SST. */
    public SampledKeys(UUID sst) {
        next = (sst.getLeastSignificantBits() >>> 1) % EVERY_BYTES;
    }

    /**
     * Offers a key in ascending order; costs one comparison unless the key is sampled.
     *
     * @param bytes length of all previous KVs
     */
    public void offer(long bytes, byte[] buffer, int keyOffset, int keyLength) {
        if (bytes >= next) {
            choose(buffer, keyOffset, keyLength);
        }
    }

    private void choose(byte[] buffer, int keyOffset, int keyLength) {
        if (keys.size() < MOST_KEYS && keyLength <= MOST_KEY_BYTES) {
            keys.add(Arrays.copyOfRange(buffer, keyOffset, keyOffset + keyLength));
            next += EVERY_BYTES;
        }
    }

    /** The keys, ascending. */
    public List<byte[]> keys() {
        return List.copyOf(keys);
    }
}
