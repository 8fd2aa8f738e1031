package io.sluice.importer.job;

import java.util.List;

/**
 * What each mode would do with a table of which only sizes and orders are known: arithmetic with the constants that the
 * modes themselves go by.
 *
 * @param indexes what is known, the primary index first
 * @param memoryBytes the budget
 * @param workers threads
 * @param inputBytes length of the input
 */
public record Forecast(List<IndexSize> indexes, long memoryBytes, int workers, long inputBytes) {
    /** Length of the SSTs that modes merge and two-pass make: 64 MiB. */
    private static final long SST_BYTES = 64L << 20;

    public Forecast {
        indexes = List.copyOf(indexes);
    }

    /**
     * One index, estimated.
     *
     * @param index its name
     * @param kvs how many it has
     * @param bytes their length
     * @param overlap how many of the buffers that KVs come in share a key where most do, as a share of all buffers; 0:
     *     KVs come in order
     */
    public record IndexSize(String index, long kvs, long bytes, double overlap) {
        /** Whether KVs come in order. */
        public boolean ordered() {
            return overlap == 0;
        }
    }

    /**
     * What a mode would do.
     *
     * @param ssts files that enter the node's tree
     * @param smallSsts those that are too small for that and become Puts
     * @param height most files above each other over any key
     * @param localBytes disk that the importer needs for sorted runs
     * @param nodeBytes disk that the nodes need for one replica, at most
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

    /** Length of all KVs. */
    public long bytes() {
        return indexes.stream().mapToLong(IndexSize::bytes).sum();
    }

    /** How much of the sorted runs memory holds. */
    public long runMemoryBytes() {
        return memory().runBytes();
    }

    /** What that mode would do. */
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

    /** KVs in order are streamed, split by split; the others are runs first, in files as far as memory is short. */
    private Outcome merge() {
        Outcome all = Outcome.NOTHING;
        long runs = 0;
        for (IndexSize index : indexes) {
            if (index.bytes() == 0) {
                continue;
            }
            long each = index.ordered() ? memory().splitBytes() : Math.min(SST_BYTES, index.bytes() / workers + 1);
            runs += index.ordered() ? 0 : index.bytes();
            all = all.plus(new Outcome(pieces(index.bytes(), each), 0, 1, 0, index.bytes()));
        }
        return all.plus(new Outcome(0, 0, 0, Math.max(0, runs - memory().runBytes()), 0));
    }

    /** Buffers that overlap are cut at common keys; each stands on all those whose keys it shares. */
    private Outcome direct() {
        Outcome all = Outcome.NOTHING;
        for (int i = 0; i < indexes.size(); i++) {
            IndexSize index = indexes.get(i);
            if (index.bytes() == 0) {
                continue;
            }
            long arena = i == 0 ? memory().primaryArenaBytes() : memory().secondaryArenaBytes();
            long each = Math.min(index.ordered() ? memory().splitBytes() : arena, index.bytes() / workers + 1);
            long buffers = pieces(index.bytes(), each);
            long cuts = index.ordered()
                    ? 1
                    : Math.max(1, Math.min(DirectOutput.MAX_PIECES, each / DirectOutput.LEAST_PIECE_BYTES));
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

    /** The nodes hold what they sort, and then what it became as well. */
    private Outcome twoPass() {
        Outcome all = Outcome.NOTHING;
        for (IndexSize index : indexes) {
            if (index.bytes() > 0) {
                all = all.plus(new Outcome(pieces(index.bytes(), SST_BYTES), 0, 1, 0, 2 * index.bytes()));
            }
        }
        return all;
    }

    private static long pieces(long bytes, long each) {
        return (bytes + each - 1) / Math.max(1, each);
    }
}
