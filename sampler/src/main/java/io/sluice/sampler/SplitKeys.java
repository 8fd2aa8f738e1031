package io.sluice.sampler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Computes split keys that cut a sorted sample into parts of equal weight. */
final class SplitKeys {
    private SplitKeys() {}

    /**
     * Returns the first keys of all parts except the first, ascending and distinct. A key that weighs more than a part
     * starts one. If there are fewer keys than parts, the result has fewer parts.
     *
     * @param sorted sampled keys, ascending, each repeated by its weight
     */
    static List<byte[]> of(byte[][] sorted, int parts) {
        List<byte[]> splits = new ArrayList<>();
        if (sorted.length == 0) {
            return splits;
        }
        byte[] last = sorted[0];
        for (int part = 1; part < parts; part++) {
            byte[] key = sorted[(int) ((long) part * sorted.length / parts)];
            if (Arrays.compareUnsigned(last, key) < 0) {
                splits.add(key);
                last = key;
            }
        }
        return splits;
    }
}
