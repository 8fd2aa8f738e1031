package io.sluice.sampler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A random sample of the keys of one index, weighted by KV bytes. Not thread-safe; samples of several threads are
 * {@link #addAll merged} afterwards.
 *
 * <p>Consider all KVs as one line of bytes, with points placed at random, one per {@code stride} bytes on average (a
 * Poisson process: the gaps are exponential). The sample has a KV once for each point on it. When there are too many
 * points, each is kept with probability one half and the stride doubles, which is again a Poisson process. Two samples
 * of the same stride together are a sample of both inputs. So the order of KVs and their distribution over workers do
 * not matter, and every point represents the same number of bytes.
 *
 * <p>A quantile part with p of n points holds a share of the bytes whose relative error is about sqrt(1 / p). With at
 * most {@value #DEFAULT_POINTS} points, and half as many after a halving, 16 parts have 2048 points each, an error of
 * 2.2%. A deviation of 10% is 4.5 standard errors: one part in 150,000. Quantile sketches with a guaranteed bound (KLL,
 * REQ) need items that are objects, and give a bound in ranks, not in bytes.
 *
 * <p>The cost of a row that is not in the sample is one subtraction.
 */
final class ByteSample {
    /** Maximum number of points; keys of 32 bytes then take 4 MiB with the JVM's overhead. */
    static final int DEFAULT_POINTS = 1 << 16;

    /** Maximum total length of sampled keys; bounds the memory for long keys. */
    private static final long MOST_KEY_BYTES = 8L << 20;

    /** The initial stride, with which the sample has every KV of a small input; thinned from 32 KiB per point. */
    private static final double FIRST_STRIDE_BYTES = 16;

    private final int mostPoints;
    private final SplittableRandom random;
    private byte[][] keys = new byte[64][];
    private int points;
    private long keyBytes;
    private double strideBytes = FIRST_STRIDE_BYTES;
    private double untilNextBytes;

    /**
     * Creates an empty sample.
     *
     * @param mostPoints maximum number of points
     * @param random places the points; used by this sample only
     */
    ByteSample(int mostPoints, SplittableRandom random) {
        this.mostPoints = mostPoints;
        this.random = random;
        untilNextBytes = gap();
    }

    private double gap() {
        return -Math.log1p(-random.nextDouble()) * strideBytes;
    }

    /** Offers one KV. The bytes are read only during the call. */
    void offer(byte[] buffer, int keyOffset, int keyLength, int valueLength) {
        untilNextBytes -= keyLength + valueLength;
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

    /** Halves the sample while it has too many points: each point stays with probability one half. */
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
        // The gap to the next point is scaled too: exponential gaps are memoryless.
        untilNextBytes *= 2;
    }

    /** Merges another sample into this one; the other must not be used afterwards. */
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
        thin();
    }

    int points() {
        return points;
    }

    /** The sampled keys in ascending order, each repeated once per point. */
    byte[][] sorted() {
        byte[][] sorted = Arrays.copyOf(keys, points);
        Arrays.sort(sorted, Arrays::compareUnsigned);
        return sorted;
    }

    /**
     * Split keys that cut the sample into parts of equal weight: the first keys of all parts except the first,
     * ascending and distinct. A key that weighs more than a part starts one. If there are fewer keys than parts, the
     * result has fewer parts.
     */
    List<byte[]> splitKeys(int parts) {
        byte[][] sorted = sorted();
        List<byte[]> splits = new ArrayList<>();
        if (sorted.length == 0) {
            return splits;
        }
        byte[] last = sorted[0];
        for (int part = 1; part < parts; part++) {
            byte[] key = sorted[(int) ((long) part * sorted.length / parts)];
            if (Arrays.compareUnsigned(last, key) < 0) {
                splits.add(key);
                last = key;
            }
        }
        return splits;
    }
}
