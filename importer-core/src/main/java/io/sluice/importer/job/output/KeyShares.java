package io.sluice.importer.job.output;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Computes keys that cut an index into parts of about equal bytes, from keys and the bytes before each of them. */
final class KeyShares {
    /** Most parts: enough that 25 nodes can get shares that differ by less than 10%. */
    static final int PARTS = 256;

    @SuppressWarnings("ArrayRecordComponent")
    private record Share(byte[] key, long bytes) {}

    private final List<Share> shares = new ArrayList<>();
    private long largestBytes;

    boolean isEmpty() {
        return shares.isEmpty();
    }

    /** Adds the bytes up to a key; a cut may be just before that key. */
    void add(byte[] key, long bytes) {
        shares.add(new Share(key, bytes));
        largestBytes = Math.max(largestBytes, bytes);
    }

    /** Adds bytes that must not be cut, with their last key; a cut may be just after that key. */
    void addWhole(byte[] lastKey, long bytes) {
        add(Arrays.copyOf(lastKey, lastKey.length + 1), bytes);
    }

    /**
     * Keys between parts of about equal size, ascending. Parts are as small as the shares allow, at most
     * {@value #PARTS}.
     */
    List<byte[]> quantiles() {
        shares.sort((a, b) -> Arrays.compareUnsigned(a.key(), b.key()));
        long total = shares.stream().mapToLong(Share::bytes).sum();
        long part = Math.max(Math.max(total / PARTS, largestBytes), 1);
        List<byte[]> keys = new ArrayList<>();
        long bytes = 0;
        long next = part;
        for (Share share : shares) {
            bytes += share.bytes();
            if (bytes >= next && bytes < total) {
                keys.add(share.key());
                next = (bytes / part + 1) * part;
            }
        }
        return keys;
    }
}
