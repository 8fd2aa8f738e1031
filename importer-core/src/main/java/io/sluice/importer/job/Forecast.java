package io.sluice.importer.job;

import io.sluice.importer.job.output.IndexOutput;
import io.sluice.importer.job.output.ShippedOutput;
import io.sluice.importer.job.read.MemoryPlan;
import java.util.List;

/**
 * Predicts files, stack height and disk use of each mode from the sizes and the order of the indexes. It computes with
 * the same constants as the modes.
 *
 * @param indexes the indexes' estimated sizes, the primary index first
 * @param memoryBytes the memory budget
 * @param workers number of worker threads
 * @param inputBytes length of the input in bytes
 */
public record Forecast(List<IndexSize> indexes, long memoryBytes, int workers, long inputBytes) {
    /** Size of the SSTs of modes merge and two-pass: 64 MiB. */
    private static final long SST_BYTES = 64L << 20;

    public Forecast {
        indexes = List.copyOf(indexes);
    }

    /**
     * The estimated size and order of one index.
     *
     * @param index its name
     * @param kvs number of KVs
     * @param bytes length of the KVs in bytes
     * @param overlap the most buffers that hold one key, as a share of all buffers; 0: KVs come in order
     */
    public record IndexSize(String index, long kvs, long bytes, double overlap) {
        /** Whether KVs come in order. */
        public boolean ordered() {
            return overlap == 0;
        }
    }

    /**
     * The predicted outcome of a mode.
     *
     * @param ssts SSTs that enter the node's LSM tree
     * @param smallSsts SSTs that are too small for that and become Puts
     * @param height height of the tallest stack of overlapping files
     * @param localBytes disk for sorted runs on the importer
     * @param nodeBytes most disk on the nodes, for one replica
     */
    public record Outcome(long ssts, long smallSsts, long height, long localBytes, long nodeBytes) {
        private static final Outcome NOTHING = new Outcome(0, 0, 0, 0, 0);

        private Outcome plus(Outcome other) {
            return new Outcome(
                    ssts + other.ssts,
                    smallSsts + other.smallSsts,
                    Math.max(height, other.height),
                    localBytes + other.localBytes,
                    nodeBytes + other.nodeBytes);
        }
    }

    /** Length of all KVs in bytes. */
    public long bytes() {
        return indexes.stream().mapToLong(IndexSize::bytes).sum();
    }

    /** Memory for sorted runs, in bytes. */
    public long runMemoryBytes() {
        return memory().runBytes();
    }

    /** Predicts the outcome of a mode. */
    public Outcome of(ImportSettings.Mode mode) {
        return switch (mode) {
            case MERGE -> merge();
            case DIRECT -> direct();
            case TWO_PASS -> twoPass();
        };
    }

    private MemoryPlan memory() {
        return MemoryPlan.of(memoryBytes, workers, indexes.size() - 1, inputBytes);
    }

    /** KVs in order become SSTs split by split. The others become runs first; runs spill when memory is short. */
    private Outcome merge() {
        Outcome all = Outcome.NOTHING;
        long runs = 0;
        for (IndexSize index : indexes) {
            if (index.bytes() == 0) {
                continue;
            }
            long each = index.ordered() ? memory().splitBytes() : Math.min(SST_BYTES, index.bytes() / workers + 1);
            runs += index.ordered() ? 0 : index.bytes();
            all = all.plus(new Outcome(files(index.bytes(), each), 0, 1, 0, index.bytes()));
        }
        return all.plus(new Outcome(0, 0, 0, Math.max(0, runs - memory().runBytes()), 0));
    }

    /** Overlapping buffers are cut at common keys. Each SST is stacked on all earlier ones with the same keys. */
    private Outcome direct() {
        Outcome all = Outcome.NOTHING;
        for (int i = 0; i < indexes.size(); i++) {
            IndexSize index = indexes.get(i);
            if (index.bytes() == 0) {
                continue;
            }
            long arena = i == 0 ? memory().primaryArenaBytes() : memory().secondaryArenaBytes();
            long each = Math.min(index.ordered() ? memory().splitBytes() : arena, index.bytes() / workers + 1);
            long buffers = files(index.bytes(), each);
            long cuts = index.ordered()
                    ? 1
                    : Math.max(1, Math.min(ShippedOutput.MAX_SSTS, each / ShippedOutput.MIN_SST_BYTES));
            // The last buffer of each worker is half full on average.
            long halfFull = Math.min(buffers, workers);
            long small = isSmall(each / cuts) ? buffers * cuts : isSmall(each / cuts / 2) ? halfFull * cuts : 0;
            long height = index.ordered() ? 1 : Math.max(1, Math.round(buffers * index.overlap()));
            all = all.plus(new Outcome(buffers * cuts - small, small, height, 0, 2 * index.bytes()));
        }
        return all;
    }

    private static boolean isSmall(long bytes) {
        return bytes < IndexOutput.MIN_STREAMED_BYTES;
    }

    /** Nodes hold the KVs they sort and, at the end, the SSTs as well. */
    private Outcome twoPass() {
        Outcome all = Outcome.NOTHING;
        for (IndexSize index : indexes) {
            if (index.bytes() > 0) {
                all = all.plus(new Outcome(files(index.bytes(), SST_BYTES), 0, 1, 0, 2 * index.bytes()));
            }
        }
        return all;
    }

    private static long files(long bytes, long each) {
        return (bytes + each - 1) / Math.max(1, each);
    }
}
