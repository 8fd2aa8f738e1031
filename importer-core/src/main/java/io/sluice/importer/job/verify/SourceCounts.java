package io.sluice.importer.job.verify;

import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.job.read.KvsOut;
import io.sluice.importer.job.read.ReadSplit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
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

    /** Wraps the output of one worker so that the rows it takes are counted. */
    KvsOut counting(KvsOut out, Buckets buckets) {
        return new Counting(out, buckets);
    }

    /** An output of one worker that counts the rows per bucket of their keys. */
    private final class Counting implements KvsOut {
        private final KvsOut out;
        private final List<Target> targets = new ArrayList<>();

        Counting(KvsOut out, Buckets buckets) {
            this.out = out;
            List<? extends KvTarget> inner = out.targets();
            for (int i = 0; i < inner.size(); i++) {
                targets.add(new Target(i, inner.get(i), buckets));
            }
        }

        @Override
        public List<? extends KvTarget> targets() {
            return targets;
        }

        @Override
        public void rowEncoded() throws IOException, InterruptedException {
            out.rowEncoded();
        }

        @Override
        public void splitEnded(ReadSplit split) throws IOException, InterruptedException {
            targets.forEach(target -> target.count(split.input()));
            out.splitEnded(split);
        }

        @Override
        public void inputEnded() throws IOException, InterruptedException {
            out.inputEnded();
        }
    }

    /** Counts the KVs of one index per bucket. */
    private final class Target implements KvTarget {
        private final int ordinal;
        private final KvTarget inner;
        private final Buckets buckets;
        private final long[] rows;
        private byte[] buffer = {};

        Target(int ordinal, KvTarget inner, Buckets buckets) {
            this.buckets = buckets;
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
            int keyLength = (int) (lengths >>> 32);
            if (buckets.isEntry(buffer, inner.position(), keyLength)) {
                rows[buckets.of(ordinal, buffer, inner.position(), keyLength)]++;
            }
            inner.added(lengths);
        }

        void count(int input) {
            for (int bucket = 0; bucket < rows.length; bucket++) {
                if (rows[bucket] > 0) {
                    add(ordinal, bucket, input, rows[bucket]);
                }
            }
            Arrays.fill(rows, 0);
        }
    }
}
