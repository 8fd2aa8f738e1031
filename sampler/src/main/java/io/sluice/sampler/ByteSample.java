package io.sluice.sampler;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A small random sample of the keys of one index, in which a KV counts by its bytes. Used by one thread; samples of
 * several threads are {@link #addAll merged} afterwards.
 *
 * <p>Imagine all KVs laid end to end, and points thrown on that line at random, one for every {@code stride} bytes on
 * average (a Poisson process: the gaps are exponential). A KV is in the sample once for each point that falls on it.
 * When there are more than so many points each is kept with probability one half and the stride doubles, which is again
 * a Poisson process; two samples of one stride are together one of both inputs. So what order KVs come in, and which
 * worker meets them, does not matter, and every point stands for the same number of bytes.
 *
 * <p>A part of p of n points that quantiles cut off holds a share of the bytes whose relative error is about sqrt(1 /
 * p): with {@value #DEFAULT_POINTS} points at most, and half as many after a halving, 16 parts have 2048 points each,
 * an error of 2.2%, and 10% is 4.5 of those: one part in 150,000. Finding quantiles of strings with a guaranteed bound
 * (KLL, REQ) needs a sketch of items that are objects, and gives a bound in ranks, not in bytes.
 *
 * <p>What a row that is not in the sample costs: one subtraction.
 */
final class ByteSample {
    /** Points that a sample holds at most; keys of 32 bytes then take 4 MiB with what the JVM adds. */
    static final int DEFAULT_POINTS = 1 << 16;

    /** Bytes of keys that a sample holds at most, for keys so long that points alone would not bound the memory. */
    private static final long MOST_KEY_BYTES = 8L << 20;

    /** Every KV of a small input is in the sample; from 32 KiB a point on the sample is thinned. */
    private static final double FIRST_STRIDE_BYTES = 16;

    private final int mostPoints;
    private final SplittableRandom random;
    private byte[][] keys = new byte[64][];
    private int points;
    private long keyBytes;
    private double strideBytes = FIRST_STRIDE_BYTES;
    private double untilNextBytes;
    private long kvs;
    private long bytes;

    /**
     * An empty sample.
     *
     * @param mostPoints how many points to keep at most
     * @param random decides where points fall; this sample's own
     */
    ByteSample(int mostPoints, SplittableRandom random) {
        this.mostPoints = mostPoints;
        this.random = random;
        untilNextBytes = gap();
    }

    private double gap() {
        return -Math.log1p(-random.nextDouble()) * strideBytes;
    }

    /** Sees one KV. The bytes are read during the call only. */
    void see(byte[] buffer, int keyOffset, int keyLength, int valueLength) {
        int length = keyLength + valueLength;
        kvs++;
        bytes += length;
        untilNextBytes -= length;
        if (untilNextBytes < 0) {
            keep(Arrays.copyOfRange(buffer, keyOffset, keyOffset + keyLength));
        }
    }

    private void keep(byte[] key) {
        do {
            add(key);
            untilNextBytes += gap();
        } while (untilNextBytes < 0);
        thin();
    }

    private void add(byte[] key) {
        if (points == keys.length) {
            keys = Arrays.copyOf(keys, 2 * points);
        }
        keys[points++] = key;
        keyBytes += key.length;
    }

    /** Makes room: while there are too many points, each stays with probability one half. */
    private void thin() {
        while (points > mostPoints || (keyBytes > MOST_KEY_BYTES && points > 1)) {
            halve();
        }
    }

    private void halve() {
        int kept = 0;
        keyBytes = 0;
        for (int i = 0; i < points; i++) {
            if (random.nextBoolean()) {
                keys[kept++] = keys[i];
                keyBytes += keys[i].length;
            }
        }
        Arrays.fill(keys, kept, points, null);
        points = kept;
        strideBytes *= 2;
        // The gap to the next point grows along: exponential gaps have no memory.
        untilNextBytes *= 2;
    }

    /** Adds what another sample has seen; that one is used up. */
    void addAll(ByteSample other) {
        while (strideBytes < other.strideBytes) {
            halve();
        }
        while (other.strideBytes < strideBytes) {
            other.halve();
        }
        for (int i = 0; i < other.points; i++) {
            add(other.keys[i]);
        }
        kvs += other.kvs;
        bytes += other.bytes;
        thin();
    }

    /** KVs that were seen. */
    long kvs() {
        return kvs;
    }

    /** Length of their keys and values. */
    long bytes() {
        return bytes;
    }

    int points() {
        return points;
    }

    /** The sampled keys in ascending order, each as often as it has points. */
    byte[][] sorted() {
        byte[][] sorted = Arrays.copyOf(keys, points);
        Arrays.sort(sorted, Arrays::compareUnsigned);
        return sorted;
    }
}
