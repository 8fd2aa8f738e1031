package io.sluice.importer.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Keys with the bytes that lie between each and the one before, and the keys that cut those into equal parts. */
final class KeyShares {
    /** Enough parts that 25 nodes can get shares that differ by less than 10%. */
    static final int PARTS = 256;

    @SuppressWarnings("ArrayRecordComponent")
    private record Share(byte[] key, long bytes) {}

    private final List<Share> shares = new ArrayList<>();
    private long largestBytes;

    boolean isEmpty() {
        return shares.isEmpty();
    }

    /** Bytes up to a key that a cut may stand in front of. */
    void add(byte[] key, long bytes) {
        shares.add(new Share(key, bytes));
        largestBytes = Math.max(largestBytes, bytes);
    }

    /** Bytes that are not to be cut, and the last key of them: a cut may stand right behind it. */
    void addWhole(byte[] lastKey, long bytes) {
        add(Arrays.copyOf(lastKey, lastKey.length + 1), bytes);
    }

    /** Keys between parts of about equal size, ascending: parts as small as the shares allow, and not too many. */
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
