package io.sluice.importer.job;

import io.sluice.importer.encode.KvTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Wraps another output and counts the rows per bucket of their keys. For one worker. */
final class TracedOut implements KvsOut {
    private final KvsOut out;
    private final Buckets buckets;
    private final SourceCounts counts;
    private final List<Target> targets = new ArrayList<>();

    TracedOut(KvsOut out, Buckets buckets, SourceCounts counts) {
        this.out = out;
        this.buckets = buckets;
        this.counts = counts;
        List<? extends KvTarget> inner = out.targets();
        for (int i = 0; i < inner.size(); i++) {
            targets.add(new Target(i, inner.get(i)));
        }
    }

    @Override
    public List<? extends KvTarget> targets() {
        return targets;
    }

    @Override
    public void rowEncoded(StageClock clock) throws IOException, InterruptedException {
        out.rowEncoded(clock);
    }

    @Override
    public void splitEnded(ReadSplit split, StageClock clock) throws IOException, InterruptedException {
        targets.forEach(target -> target.count(split.input()));
        out.splitEnded(split, clock);
    }

    @Override
    public void inputEnded(StageClock clock) throws IOException, InterruptedException {
        out.inputEnded(clock);
    }

    /** Counts the KVs of one index per bucket. */
    private final class Target implements KvTarget {
        private final int ordinal;
        private final KvTarget inner;
        private final long[] rows;
        private byte[] buffer = {};

        Target(int ordinal, KvTarget inner) {
            this.ordinal = ordinal;
            this.inner = inner;
            rows = new long[buckets.count(ordinal)];
        }

        @Override
        public byte[] room(int maxBytes) {
            buffer = inner.room(maxBytes);
            return buffer;
        }

        @Override
        public int position() {
            return inner.position();
        }

        @Override
        public void added(long lengths) {
            rows[buckets.of(ordinal, buffer, inner.position(), (int) (lengths >>> 32))]++;
            inner.added(lengths);
        }

        void count(int input) {
            for (int bucket = 0; bucket < rows.length; bucket++) {
                if (rows[bucket] > 0) {
                    counts.add(ordinal, bucket, input, rows[bucket]);
                }
            }
            Arrays.fill(rows, 0);
        }
    }
}
