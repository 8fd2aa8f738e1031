package io.sluice.tpcc;

/**
 * The number of lines of each order: 5 to 15, evenly, and such that the order of any line is found in a few steps.
 * Every eleven orders hold each count once, in an order drawn for them, so they have 110 lines together. Immutable.
 */
final class LineCounts {
    private static final int FEWEST = 5;
    private static final int BLOCK_ORDERS = 11;
    private static final int BLOCK_LINES = 110;

    private final long seed;

    LineCounts(long seed) {
        this.seed = seed;
    }

    /** Lines of an order, which is counted from 0 over all districts. */
    int of(long order) {
        long block = order / BLOCK_ORDERS;
        return FEWEST + (int) permutation(block).at(order % BLOCK_ORDERS);
    }

    /** Lines of the first so many orders. */
    long ofFirst(long orders) {
        long block = orders / BLOCK_ORDERS;
        long lines = block * BLOCK_LINES;
        for (long order = block * BLOCK_ORDERS; order < orders; order++) {
            lines += of(order);
        }
        return lines;
    }

    /** The order that a line belongs to, both counted from 0 over all districts. */
    long orderOf(long line) {
        long block = line / BLOCK_LINES;
        long order = block * BLOCK_ORDERS;
        long rest = line % BLOCK_LINES;
        for (int count = of(order); rest >= count; count = of(order)) {
            rest -= count;
            order++;
        }
        return order;
    }

    private Permutation permutation(long block) {
        return new Permutation(BLOCK_ORDERS, SplitMix64.mix(seed + block));
    }
}
