package io.sluice.tpcc;

/**
 * A pseudo-random permutation of {@code [0, size)} that needs no memory: a balanced Feistel network over the next even
 * number of bits, walked along its cycle until it lands inside (Black and Rogaway: Ciphers with Arbitrary Finite
 * Domains, 2002). The domain is less than four times the size, so a walk takes fewer than four steps on average.
 * Immutable.
 */
final class Permutation {
    /**
     * Four rounds suffice for a permutation that is not distinguishable from a random one without adaptive queries
     * (Luby and Rackoff 1988).
     */
    private static final int ROUNDS = 4;

    private final long size;
    private final int halfBits;
    private final long halfMask;
    private final long seed;

    Permutation(long size, long seed) {
        if (size < 1) {
            throw new IllegalArgumentException("size " + size);
        }
        this.size = size;
        this.halfBits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(size - 1) + 1) / 2);
        this.halfMask = (1L << halfBits) - 1;
        this.seed = seed;
    }

    /** The element at a position. */
    long at(long position) {
        long x = position;
        do {
            x = encipher(x);
        } while (x >= size);
        return x;
    }

    private long encipher(long x) {
        long left = x >>> halfBits;
        long right = x & halfMask;
        for (int round = 0; round < ROUNDS; round++) {
            long mixed = SplitMix64.mix(seed + ((long) round << 56) + right) & halfMask;
            long swapped = left ^ mixed;
            left = right;
            right = swapped;
        }
        return left << halfBits | right;
    }
}
