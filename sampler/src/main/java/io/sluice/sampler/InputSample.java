package io.sluice.sampler;

import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.encode.SingleKvTarget;
import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.InputScan;
import io.sluice.importer.source.InputFile;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * An estimate of the whole input from a sample of its beginning. Sizes are extrapolated from the sample. The order is
 * that of the sample: an index whose keys wrap around later, such as a secondary index of a table written part by part,
 * seems more ordered than it is.
 *
 * @param seen the sampled input
 * @param indexes estimated size of the whole input per index, the primary first
 */
public record InputSample(InputScan.Seen seen, List<Forecast.IndexSize> indexes) {
    public InputSample {
        indexes = List.copyOf(indexes);
    }

    /**
     * Samples about {@code mostBytes} bytes of the input.
     *
     * @param inputs rereadable inputs: {@link InputScan#possible}
     */
    public static InputSample at(Table table, List<InputFile> inputs, InputFormat format, long mostBytes) {
        List<OrderTarget> targets = new ArrayList<>();
        table.indexes().forEach(index -> targets.add(new OrderTarget()));
        InputScan.Seen seen = InputScan.scan(table, inputs, format, mostBytes, targets);
        List<Forecast.IndexSize> indexes = new ArrayList<>();
        for (int i = 0; i < targets.size(); i++) {
            OrderTarget target = targets.get(i);
            indexes.add(new Forecast.IndexSize(
                    table.indexes().get(i).def().name(),
                    Math.round(target.kvs() * seen.scale()),
                    Math.round(target.bytes() * seen.scale()),
                    target.overlap()));
        }
        return new InputSample(seen, indexes);
    }

    /** Estimated number of rows of the whole input. */
    public long rows() {
        return Math.round(seen.rows() * seen.scale());
    }

    /** Whether the sample is the whole input, so that sizes are exact. */
    public boolean whole() {
        return seen.bytes() >= seen.totalBytes();
    }

    /**
     * Measures the order of the KVs of one index. Keeps the first and last key of every block of {@value #BLOCK_KVS}
     * KVs. Not thread-safe; for a sample of the input.
     */
    private static final class OrderTarget extends SingleKvTarget {
        /**
         * KVs per block: few enough that some megabytes give dozens of blocks, and enough that two swapped neighbours
         * do not count.
         */
        private static final int BLOCK_KVS = 512;

        private final List<Edge> edges = new ArrayList<>();
        private byte[] smallest = {};
        private byte[] largest = {};
        private int inBlock;
        private int blocks;
        private long kvs;
        private long bytes;

        /** The start (1) or the end (-1) of a block's key range. */
        @SuppressWarnings("ArrayRecordComponent")
        private record Edge(byte[] key, int change) {}

        @Override
        protected void added(byte[] kv, int keyLength, int valueLength) {
            kvs++;
            bytes += keyLength + valueLength;
            if (inBlock == 0 || compare(kv, keyLength, smallest) < 0) {
                smallest = Arrays.copyOf(kv, keyLength);
            }
            if (inBlock == 0 || compare(kv, keyLength, largest) > 0) {
                largest = Arrays.copyOf(kv, keyLength);
            }
            if (++inBlock == BLOCK_KVS) {
                endBlock();
            }
        }

        private static int compare(byte[] kv, int keyLength, byte[] other) {
            return Arrays.compareUnsigned(kv, 0, keyLength, other, 0, other.length);
        }

        private void endBlock() {
            edges.add(new Edge(smallest, 1));
            edges.add(new Edge(largest, -1));
            blocks++;
            inBlock = 0;
        }

        long kvs() {
            return kvs;
        }

        long bytes() {
            return bytes;
        }

        /**
         * The largest number of blocks that overlap at one key, as a fraction of all; 0 if no blocks overlap. Called
         * last.
         */
        double overlap() {
            if (inBlock > 0) {
                endBlock();
            }
            edges.sort(Comparator.comparing(Edge::key, Arrays::compareUnsigned)
                    .thenComparing(Edge::change, Comparator.reverseOrder()));
            int height = 0;
            int most = 0;
            for (Edge edge : edges) {
                height += edge.change();
                most = Math.max(most, height);
            }
            return most <= 1 ? 0 : (double) most / blocks;
        }
    }
}
