package io.sluice.tpcc;

/**
 * A pseudo-random sequence that can be entered anywhere at no cost: splitmix64 (Steele, Lea, Flood: Fast Splittable
 * Pseudorandom Number Generators, 2014). Every row starts its own sequence. Not safe for use by several threads.
 */
final class SplitMix64 {
    private static final long GAMMA = 0x9e3779b97f4a7c15L;

    private long state;

    /** Starts the sequence that belongs to one row of one table. */
    void start(long tableSeed, long row) {
        state = mix(tableSeed + mix(row + GAMMA));
    }

    long next() {
        state += GAMMA;
        return mix(state);
    }

    /** A number in {@code [low, high]}, both inclusive. The bias of the multiplication is below 2^-32 per value. */
    int between(int low, int high) {
        return low + below(high - low + 1);
    }

    /** A number in {@code [0, bound)}. */
    int below(int bound) {
        return (int) (((next() >>> 32) * bound) >>> 32);
    }

    /** TPC-C's random 10%. */
    boolean oneInTen() {
        return below(10) == 0;
    }

    /** The finalizer of splitmix64: a bijection that spreads every input bit over all output bits. */
    static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
