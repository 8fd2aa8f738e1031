package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.Arrays;
import java.util.List;

/**
 * A sublevel of a tree: files in key order that do not overlap.
 *
 * @param position its height, gaps below included; 0 is the bottom
 * @param level the RocksDB level of the files
 * @param label its label in drawings: {@code L63}, or {@code L0.2} for the third sublevel of level 0
 * @param files in key order, at least one
 */
public record Sublevel(int position, int level, String label, List<LsmFile> files) {
    /** Copies the list. */
    public Sublevel {
        files = List.copyOf(files);
    }

    /** The files that overlap the bounds, in key order. O(log n + k). */
    public List<LsmFile> overlapping(KeyBounds bounds) {
        int from = firstEndingAtOrAfter(bounds.smallest());
        int to = from;
        while (to < files.size()
                && Arrays.compareUnsigned(files.get(to).bounds().smallest(), bounds.largest()) <= 0) {
            to++;
        }
        return files.subList(from, to);
    }

    private int firstEndingAtOrAfter(byte[] key) {
        int low = 0;
        int high = files.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(files.get(middle).bounds().largest(), key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
