package io.sluice.engine.lsm;

import java.util.Arrays;
import java.util.Collection;

/** Computes how high files stack over a key. */
final class Heights {
    private Heights() {}

    /** The largest number of files whose spans share a key. Sorts first and last keys and merges them, n log n. */
    static int max(Collection<SstShape> files) {
        String[] begins = files.stream().map(SstShape::smallest).toArray(String[]::new);
        String[] ends = files.stream().map(SstShape::largest).toArray(String[]::new);
        Arrays.sort(begins);
        Arrays.sort(ends);
        int max = 0;
        int ended = 0;
        for (int begun = 0; begun < begins.length; begun++) {
            // Spans include their last key: a span that ends where another begins covers that key.
            while (ends[ended].compareTo(begins[begun]) < 0) {
                ended++;
            }
            max = Math.max(max, begun + 1 - ended);
        }
        return max;
    }
}
