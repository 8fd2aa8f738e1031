package io.sluice.sampler;

import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.encode.SingleKvTarget;
import io.sluice.importer.job.SplitPlanner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Proposes split keys from a random sample of each index. Memory: {@value ByteSample#DEFAULT_POINTS} keys per index and
 * worker. Several threads may add workers; each worker uses its own targets.
 */
public final class SampledPlanner implements SplitPlanner {
    /**
     * Number of proposed parts. A cluster of n nodes takes every 720/n-th key. 720 is a multiple of all n up to 6, of 8
     * to 10, 12, 15 and 16; for other n up to 16 rounding adds at most 1.1% to a share.
     */
    public static final int PROPOSED_PARTS = 720;

    private final int indexes;
    private final int mostPoints;
    private final long seed;
    private final SplittableRandom seeds;
    private final List<List<SampledTarget>> workers = new ArrayList<>();
    private final Map<Integer, ByteSample> merged = new HashMap<>();

    /** Creates a planner for {@code indexes} indexes. The same seed and input with one worker give the same keys. */
    public SampledPlanner(int indexes, long seed) {
        this(indexes, seed, ByteSample.DEFAULT_POINTS);
    }

    SampledPlanner(int indexes, long seed, int mostPoints) {
        this.indexes = indexes;
        this.mostPoints = mostPoints;
        this.seed = seed;
        seeds = new SplittableRandom(seed);
    }

    @Override
    public synchronized List<? extends KvTarget> newWorker() {
        List<SampledTarget> targets = new ArrayList<>();
        for (int i = 0; i < indexes; i++) {
            targets.add(new SampledTarget(new ByteSample(mostPoints, seeds.split())));
        }
        workers.add(targets);
        return targets;
    }

    @Override
    public synchronized List<byte[]> splitKeys(int index) {
        return sample(index).splitKeys(PROPOSED_PARTS);
    }

    /** Merges the workers' samples of an index; only after all workers are done. */
    private ByteSample sample(int index) {
        return merged.computeIfAbsent(index, i -> {
            ByteSample all = new ByteSample(mostPoints, seeds.split());
            workers.forEach(worker -> all.addAll(worker.get(i).sample));
            return all;
        });
    }

    @Override
    public synchronized String describe() {
        StringBuilder text = new StringBuilder("seed ").append(seed).append(", points per index");
        for (int i = 0; i < indexes; i++) {
            text.append(i == 0 ? " " : ", ")
                    .append(String.format(Locale.ROOT, "%,d", sample(i).points()));
        }
        return text.toString();
    }

    /** A buffer for one KV, which is offered to a sample before the next KV overwrites it. */
    private static final class SampledTarget extends SingleKvTarget {
        private final ByteSample sample;

        SampledTarget(ByteSample sample) {
            this.sample = sample;
        }

        @Override
        protected void added(byte[] kv, int keyLength, int valueLength) {
            sample.offer(kv, 0, keyLength, valueLength);
        }
    }
}
