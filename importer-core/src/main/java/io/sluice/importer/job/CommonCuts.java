package io.sluice.importer.job;

import io.sluice.importer.sort.SortBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The keys at which SSTs of all buffers of an index are cut, chosen from the first buffer, which must be sorted. */
final class CommonCuts {
    private CommonCuts() {}

    /** Keys between parts of the buffer with about as many KVs each. */
    static List<byte[]> quantiles(SortBuffer buffer) {
        int parts = Math.min(KeyShares.PARTS, buffer.count());
        List<byte[]> keys = new ArrayList<>();
        for (int i = 1; i < parts; i++) {
            keys.add(buffer.key(place(buffer, 0, buffer.count(), i, parts)));
        }
        return keys;
    }

    /**
     * Where nodes' ranges meet, and between those where pieces get large enough to be files of their own.
     *
     * @param ranges keys that are cuts in any case, ascending
     * @param leastBytes of a piece
     * @param mostPieces of the whole buffer, if ranges do not make more
     */
    static byte[][] of(SortBuffer buffer, List<byte[]> ranges, int leastBytes, int mostPieces) {
        List<byte[]> cuts = new ArrayList<>();
        int from = 0;
        for (int range = 0; range <= ranges.size(); range++) {
            int to = range < ranges.size() ? placeOf(buffer, ranges.get(range)) : buffer.count();
            long bytes = (long) buffer.bytes() * (to - from) / Math.max(1, buffer.count());
            long most = Math.max(1, (long) mostPieces * (to - from) / Math.max(1, buffer.count()));
            int pieces = (int) Math.max(1, Math.min(most, bytes / leastBytes));
            for (int i = 1; i < pieces; i++) {
                cuts.add(buffer.key(place(buffer, from, to, i, pieces)));
            }
            if (range < ranges.size()) {
                cuts.add(ranges.get(range));
            }
            from = to;
        }
        return cuts.toArray(new byte[0][]);
    }

    private static int place(SortBuffer buffer, int from, int to, int part, int parts) {
        return Math.min(buffer.count() - 1, from + (int) ((long) (to - from) * part / parts));
    }

    /** The first place whose key is not below one. */
    private static int placeOf(SortBuffer buffer, byte[] key) {
        int low = 0;
        int high = buffer.count();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(buffer.key(middle), key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Whether a key lies at a cut or behind it. */
    static boolean reaches(byte[] cut, byte[] buffer, int keyOffset, int keyLength) {
        return Arrays.compareUnsigned(buffer, keyOffset, keyOffset + keyLength, cut, 0, cut.length) >= 0;
    }
}
