package io.sluice.importer.job.read;

import io.sluice.importer.sort.Sorter;

/**
 * The division of one memory budget M between W workers:
 *
 * <pre>
 *   M/8   splits being decoded               W of M/8W, three quarters of a sort buffer at most
 *   M/4   sort buffers                       the primary index gets half of a worker's share,
 *                                        three quarters if it is alone: its scratch memory grows with it
 *   ~M/8  the sorters' scratch memory        1.2 times the largest sort buffer
 *  11M/32 runs kept in memory                what does not fit is spilled; in mode direct SSTs on their way to nodes
 *   M/32  input read ahead                   of files that are compressed or far away; 4 MiB for each of
 *                                        W files at most
 *   M/8   blocks of runs that are merged     fan-in times block for each worker
 * </pre>
 *
 * @param splitBytes size of one split
 * @param primaryArenaBytes size of a sort buffer of the primary index
 * @param secondaryArenaBytes size of a sort buffer of a secondary index
 * @param runBytes most memory for runs
 * @param readAheadBytes most input that waits to be decoded
 * @param mergeBlockBytes bytes of a spilled run per read
 * @param mergeFanIn most spilled runs that are merged at once
 */
public record MemoryPlan(
        int splitBytes,
        int primaryArenaBytes,
        int secondaryArenaBytes,
        long runBytes,
        int readAheadBytes,
        int mergeBlockBytes,
        int mergeFanIn) {
    private static final long MIB = 1L << 20;

    /**
     * Largest sort buffer of the primary index. Larger ones give fewer runs, but cost more memory, which must be
     * touched first and is half empty at the end.
     */
    private static final long MAX_PRIMARY_ARENA_BYTES = 32 * MIB;

    private static final long MAX_SECONDARY_ARENA_BYTES = 16 * MIB;
    private static final long MIN_SPLIT_BYTES = 256 << 10;

    /** Splits per worker: enough that all workers end at about the same time. */
    private static final int SPLITS_PER_WORKER = 8;

    /** Least size of an entry: a header, a key of an index prefix and a column, and a value of five bytes. */
    private static final int BYTES_PER_ENTRY = 20;

    private static final long MAX_READ_AHEAD_BYTES = 4 * MIB;

    private static final int MIN_FAN_IN = 8;
    private static final int MAX_FAN_IN = 256;
    private static final int SMALL_BLOCK_BYTES = 64 << 10;
    private static final int LARGE_BLOCK_BYTES = 256 << 10;
    private static final long LARGE_BLOCKS_FROM_BYTES = 512 * MIB;

    /** Plans a budget for inputs of {@code textBytes} (0 or less: not known). */
    public static MemoryPlan of(long memoryBytes, int workers, int secondaryIndexes, long textBytes) {
        long perWorker = memoryBytes / workers;
        long sortShare = perWorker / 4;
        long primary = Math.min(MAX_PRIMARY_ARENA_BYTES, secondaryIndexes == 0 ? sortShare / 4 * 3 : sortShare / 2);
        long secondary =
                secondaryIndexes == 0 ? 0 : Math.min(MAX_SECONDARY_ARENA_BYTES, sortShare / 2 / secondaryIndexes);
        // A split of ordered input becomes one SST: its KVs, somewhat longer than its text, must fit the sort buffer.
        long largestSplit = Math.min(perWorker / 8, primary * 3 / 4);
        long evenSplit = textBytes <= 0 ? largestSplit : textBytes / ((long) workers * SPLITS_PER_WORKER) + 1;
        long split = Math.max(MIN_SPLIT_BYTES, Math.min(largestSplit, evenSplit));
        int block = memoryBytes >= LARGE_BLOCKS_FROM_BYTES ? LARGE_BLOCK_BYTES : SMALL_BLOCK_BYTES;
        long fanIn = Math.max(MIN_FAN_IN, Math.min(MAX_FAN_IN, perWorker / 8 / block));
        long ahead = Math.min(memoryBytes / 32, workers * MAX_READ_AHEAD_BYTES);
        return new MemoryPlan(
                (int) split, (int) primary, (int) secondary, memoryBytes / 32 * 11, (int) ahead, block, (int) fanIn);
    }

    public static int maxEntries(int arenaBytes) {
        return Math.max(1, arenaBytes / BYTES_PER_ENTRY);
    }

    /** Scratch bytes that a sorter of the largest buffer keeps. */
    long sorterBytes() {
        return Sorter.scratchBytes(maxEntries(Math.max(primaryArenaBytes, secondaryArenaBytes)));
    }
}
