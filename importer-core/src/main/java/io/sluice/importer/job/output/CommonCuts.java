package io.sluice.importer.job.output;

import io.sluice.importer.sort.SortBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Chooses the keys at which all SSTs of an index are cut, from the first buffer, which must be sorted. */
final class CommonCuts {
    private CommonCuts() {}

    /** Keys that split the buffer into parts with about equally many KVs. */
    static List<byte[]> quantiles(SortBuffer buffer) {
        int parts = Math.min(KeyShares.PARTS, buffer.count());
        List<byte[]> keys = new ArrayList<>();
        for (int i = 1; i < parts; i++) {
            keys.add(buffer.key(place(buffer, 0, buffer.count(), i, parts)));
        }
        return keys;
    }

    /**
     * The borders of the nodes' ranges, and further keys between them so that each output file is large enough.
     *
     * @param ranges the borders of the nodes' ranges, ascending; each is a cut
     * @param minBytes least size of an output file
     * @param maxFiles most output files of the buffer, unless the ranges give more
     */
    static byte[][] of(SortBuffer buffer, List<byte[]> ranges, int minBytes, int maxFiles) {
        List<byte[]> cuts = new ArrayList<>();
        int from = 0;
        for (int range = 0; range <= ranges.size(); range++) {
            int to = range < ranges.size() ? placeOf(buffer, ranges.get(range)) : buffer.count();
            long bytes = (long) buffer.bytes() * (to - from) / Math.max(1, buffer.count());
            long most = Math.max(1, (long) maxFiles * (to - from) / Math.max(1, buffer.count()));
            int files = (int) Math.max(1, Math.min(most, bytes / minBytes));
            for (int i = 1; i < files; i++) {
                cuts.add(buffer.key(place(buffer, from, to, i, files)));
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

    /** The first position with a key at or after {@code key}. */
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

    /** Whether a key is at or after a cut. */
    static boolean reaches(byte[] cut, byte[] buffer, int keyOffset, int keyLength) {
        return Arrays.compareUnsigned(buffer, keyOffset, keyOffset + keyLength, cut, 0, cut.length) >= 0;
    }
}
