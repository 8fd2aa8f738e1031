package io.sluice.sampler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Where sorted sampled keys are cut into parts of equal weight. */
final class SplitKeys {
    private SplitKeys() {}

    /**
     * The first keys of all parts but the first, ascending, no two the same. A key that weighs more than a part is the
     * beginning of one; there are fewer parts than asked for when there are fewer keys.
     *
     * @param sorted sampled keys, each as often as it weighs
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
