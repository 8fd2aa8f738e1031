package io.sluice.spark;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import scala.Tuple2;

/** Keys of sampled rows, each with the bytes that it stands for, in one array: the result of a task. */
final class SampledKeys {
    private static final int HEADER_BYTES = Integer.BYTES + Long.BYTES;

    /** Longest start of a key that is kept: 1 KiB x 100,000 rows = 100 MB per index, which the driver holds. */
    private static final int MOST_KEY_BYTES = 1 << 10;

    private byte[] packed = new byte[4096];
    private int used;

    /** Adds a key, which stands for some bytes of KVs; of a long one its start, which is as good a bound of a range. */
    void add(byte[] key, long bytes) {
        int length = Math.min(MOST_KEY_BYTES, key.length);
        if (packed.length - used < HEADER_BYTES + length) {
            packed = Arrays.copyOf(packed, 2 * packed.length + HEADER_BYTES + length);
        }
        ByteBuffer.wrap(packed, used, packed.length - used)
                .putInt(length)
                .putLong(bytes)
                .put(key, 0, length);
        used += HEADER_BYTES + length;
    }

    /** All keys so far. */
    byte[] packed() {
        return Arrays.copyOf(packed, used);
    }

    /** Adds the keys of a task's result to a list. */
    static void unpack(byte[] packed, List<Tuple2<byte[], Long>> into) {
        ByteBuffer from = ByteBuffer.wrap(packed);
        while (from.hasRemaining()) {
            byte[] key = new byte[from.getInt()];
            long bytes = from.getLong();
            from.get(key);
            into.add(new Tuple2<>(key, bytes));
        }
    }
}
