package io.sluice.api.node;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * Chooses keys of an SST while it is being written: one in every 16 MiB of KVs, from a place on that the SST's random
 * id decides. The node reads the block of 16 KiB around each of them back, so a thousandth of everything; of an SST
 * without such a key it reads the first block. Not safe for several threads.
 */
public final class SampledKeys {
    private static final long EVERY_BYTES = 16L << 20;
    /** Keys travel in a header, which is bounded. */
    public static final int MOST_KEYS = 16;

    private static final int MOST_KEY_BYTES = 128;

    private final List<byte[]> keys = new ArrayList<>();
    private long next;

    /** For an SST that is about to be written. */
    public SampledKeys(UUID sst) {
        next = (sst.getLeastSignificantBits() >>> 1) % EVERY_BYTES;
    }

    /**
     * Offers a key; costs one comparison for most.
     *
     * @param bytes length of all KVs so far
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
