package io.sluice.engine.compact;

import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Chooses the keys at which a compaction's outputs are cut: first keys of inputs, once the bytes since the last cut
 * fill an output file. Inputs begin where the writer cut, so outputs stay within the spans of one flush's files.
 *
 * <p>The distribution of bytes within a file is unknown. It is assumed to be even between the first and the last key,
 * read as numbers.
 */
final class OutputSplits {
    private OutputSplits() {}

    static List<byte[]> of(List<LsmFile> inputs, long outputFileBytes) {
        KeyAxis axis = KeyAxis.of(inputs);
        double[] places = places(axis);
        boolean[] begins = new boolean[axis.keys()];
        // The change of the density of bytes at a key; bytes of files with one key are added there at once.
        double[] densities = new double[axis.keys()];
        double[] atOnce = new double[axis.keys()];
        for (LsmFile file : inputs) {
            int from = axis.indexOf(file.bounds().smallest());
            int to = axis.indexOf(file.bounds().largest());
            begins[from] = true;
            double width = places[to] - places[from];
            if (width > 0) {
                densities[from] += file.fileBytes() / width;
                densities[to] -= file.fileBytes() / width;
            } else {
                atOnce[from] += file.fileBytes();
            }
        }
        List<byte[]> splits = new ArrayList<>();
        double since = 0;
        double density = 0;
        for (int key = 0; key < axis.keys(); key++) {
            if (key > 0) {
                since += density * (places[key] - places[key - 1]);
            }
            if (begins[key] && since >= outputFileBytes) {
                splits.add(axis.key(key));
                since = 0;
            }
            since += atOnce[key];
            density += densities[key];
        }
        return splits;
    }

    /** Keys as numbers: eight bytes from the first byte on in which the first and the last key differ. */
    private static double[] places(KeyAxis axis) {
        byte[] first = axis.key(0);
        int shared = Math.max(0, Arrays.mismatch(first, axis.key(axis.keys() - 1)));
        double[] places = new double[axis.keys()];
        for (int key = 0; key < places.length; key++) {
            byte[] bytes = axis.key(key);
            for (int i = shared; i < shared + Long.BYTES; i++) {
                places[key] = places[key] * 256 + (i < bytes.length ? bytes[i] & 0xff : 0);
            }
        }
        return places;
    }
}
