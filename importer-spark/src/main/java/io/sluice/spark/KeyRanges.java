package io.sluice.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.Partitioner;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * Divides blocks of KVs by their first key into ranges of keys, one partition for each. One more partition takes the
 * records with an empty key, which report on the input.
 */
final class KeyRanges extends Partitioner {
    private final byte[][] bounds;
    /** Fewest partitions. */
    private final int least;

    private KeyRanges(byte[][] bounds, int least) {
        this.bounds = bounds;
        this.least = least;
    }

    /**
     * Cuts the keys of a sample into ranges of about equal bytes. A range has at least one key of the sample.
     *
     * @param sample keys, each with the length of its KV
     * @param ranges most ranges
     * @param least fewest partitions; those after {@link #ofInput} stay empty
     */
    static KeyRanges of(List<Tuple2<byte[], Long>> sample, int ranges, int least) {
        List<Tuple2<byte[], Long>> sorted = new ArrayList<>(sample);
        sorted.sort((a, b) -> Arrays.compareUnsigned(a._1(), b._1()));
        double all = sorted.stream().mapToLong(Tuple2::_2).sum();
        List<byte[]> bounds = new ArrayList<>();
        long before = 0;
        for (Tuple2<byte[], Long> key : sorted) {
            boolean isNew = bounds.isEmpty() || !Arrays.equals(bounds.get(bounds.size() - 1), key._1());
            if (before > 0 && isNew && before >= all / ranges * (bounds.size() + 1)) {
                bounds.add(key._1());
            }
            before += key._2();
        }
        return new KeyRanges(bounds.toArray(new byte[0][]), least);
    }

    /** Number of the partition for the records with an empty key, the last that is not empty. */
    int ofInput() {
        return bounds.length + 1;
    }

    @Override
    public int numPartitions() {
        return Math.max(least, ofInput() + 1);
    }

    /** The range of a key: the number of bounds that are not greater. */
    @Override
    public int getPartition(Object of) {
        byte[] key = (byte[]) of;
        if (key.length == 0) {
            return ofInput();
        }
        int low = 0;
        int high = bounds.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(bounds[middle], key) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The first key after the range of a partition; null after the last range. */
    byte @Nullable [] end(int partition) {
        return partition < bounds.length ? bounds[partition] : null;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KeyRanges ranges && Arrays.deepEquals(bounds, ranges.bounds);
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(bounds);
    }
}
