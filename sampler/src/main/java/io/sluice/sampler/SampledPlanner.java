package io.sluice.sampler;

import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.job.SplitPlanner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Proposes split keys by a random sample of each index. Memory: {@value ByteSample#DEFAULT_POINTS} keys per index and
 * worker. Workers may be added by several threads; each then uses its own targets.
 */
public final class SampledPlanner implements SplitPlanner {
    /**
     * How many parts are proposed: whoever divides among n nodes takes every 720/n-th key, and 720 is a multiple of all
     * n up to 6, of 8 to 10, 12, 15 and 16; for others up to 16 rounding adds at most 1.1% to a share.
     */
    public static final int PROPOSED_PARTS = 720;

    private final int indexes;
    private final int mostPoints;
    private final long seed;
    private final SplittableRandom seeds;
    private final List<List<SampledTarget>> workers = new ArrayList<>();
    private final Map<Integer, ByteSample> merged = new HashMap<>();

    /** A planner for a table with so many indexes; the same seed, input and one worker give the same keys. */
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
        return SplitKeys.of(sample(index).sorted(), PROPOSED_PARTS);
    }

    /** The sample of an index, of all workers; only when those are done. */
    private ByteSample sample(int index) {
        return merged.computeIfAbsent(index, i -> {
            ByteSample all = new ByteSample(mostPoints, seeds.split());
            workers.forEach(worker -> all.addAll(worker.get(i).sample()));
            return all;
        });
    }

    /** KVs of an index that were seen; only when all workers are done. */
    public synchronized long kvs(int index) {
        return sample(index).kvs();
    }

    /** Length of the keys and values of an index that were seen; only when all workers are done. */
    public synchronized long bytes(int index) {
        return sample(index).bytes();
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
}
