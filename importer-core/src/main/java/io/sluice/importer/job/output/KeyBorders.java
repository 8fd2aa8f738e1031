package io.sluice.importer.job.output;

import io.sluice.api.node.SstFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Collects keys that split a table into buckets: first keys of SSTs, or split keys. Of many keys it keeps some, evenly
 * spread over the order in which they came. Usable by several threads.
 */
public final class KeyBorders {
    /** Most buckets of an index: a strip on a screen can show as many. */
    public static final int MOST_BUCKETS = 32;

    /** Most keys kept per index; at this number every second one is discarded. */
    private static final int MOST_KEPT = 1024;

    /** Kept keys by index id. */
    private final Map<Integer, Kept> indexes = new HashMap<>();

    /** Kept keys of one index. */
    private static final class Kept {
        List<byte[]> keys = new ArrayList<>();
        long seen;
        long every = 1;

        void add(byte[] key) {
            if (seen++ % every != 0) {
                return;
            }
            keys.add(key);
            if (keys.size() == MOST_KEPT) {
                List<byte[]> half = new ArrayList<>();
                for (int i = 0; i < keys.size(); i += 2) {
                    half.add(keys.get(i));
                }
                keys = half;
                every *= 2;
            }
        }
    }

    /** Adds the first key of an SST that was handed over. */
    public void shipped(SstFile sst) {
        add(sst.indexId(), List.of(sst.smallestKey()));
    }

    /** Adds keys that split an index. */
    public synchronized void add(int indexId, List<byte[]> keys) {
        Kept index = indexes.computeIfAbsent(indexId, id -> new Kept());
        keys.forEach(index::add);
    }

    /** The borders between at most {@value #MOST_BUCKETS} buckets of an index, ascending; none when none are known. */
    public synchronized List<byte[]> of(int indexId) {
        Kept index = indexes.get(indexId);
        List<byte[]> sorted = index == null ? new ArrayList<>() : new ArrayList<>(index.keys);
        sorted.sort(Arrays::compareUnsigned);
        List<byte[]> borders = new ArrayList<>();
        int parts = Math.min(MOST_BUCKETS, sorted.size());
        for (int i = 1; i < parts; i++) {
            byte[] key = sorted.get((int) ((long) sorted.size() * i / parts));
            byte[] last = borders.isEmpty() ? sorted.get(0) : borders.get(borders.size() - 1);
            if (Arrays.compareUnsigned(last, key) < 0) {
                borders.add(key);
            }
        }
        return borders;
    }
}
