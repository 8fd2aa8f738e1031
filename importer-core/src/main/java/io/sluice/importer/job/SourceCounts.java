package io.sluice.importer.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts the rows of each input per bucket. Usable by several threads. */
final class SourceCounts {
    /** Most inputs per bucket; 32 buckets of ten indexes then take 20 MB. */
    private static final int MOST_INPUTS = 1_000;

    private final List<List<TreeMap<Integer, Long>>> counts = new ArrayList<>();

    SourceCounts(Buckets buckets, int indexes) {
        for (int i = 0; i < indexes; i++) {
            List<TreeMap<Integer, Long>> index = new ArrayList<>();
            for (int bucket = 0; bucket < buckets.count(i); bucket++) {
                index.add(new TreeMap<>());
            }
            counts.add(index);
        }
    }

    /** Adds rows of an input; beyond the limit, the inputs with the highest ordinals are dropped. */
    synchronized void add(int ordinal, int bucket, int input, long rows) {
        TreeMap<Integer, Long> inputs = counts.get(ordinal).get(bucket);
        inputs.merge(input, rows, Long::sum);
        if (inputs.size() > MOST_INPUTS) {
            inputs.pollLastEntry();
        }
    }

    /** Rows by the ordinals of their inputs, ascending. */
    synchronized Map<Integer, Long> of(int ordinal, int bucket) {
        return new TreeMap<>(counts.get(ordinal).get(bucket));
    }
}
