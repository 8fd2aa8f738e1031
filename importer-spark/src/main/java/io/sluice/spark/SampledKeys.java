package io.sluice.spark;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import scala.Tuple2;

/** Keys of sampled rows, each with the bytes that it stands for, in one array: the result of a task. */
final class SampledKeys {
    private static final int HEADER_BYTES = Integer.BYTES + Long.BYTES;

    private byte[] packed = new byte[4096];
    private int used;

    /** Adds a key, which stands for some bytes of KVs. */
    void add(byte[] key, long bytes) {
        if (packed.length - used < HEADER_BYTES + key.length) {
            packed = Arrays.copyOf(packed, 2 * packed.length + HEADER_BYTES + key.length);
        }
        ByteBuffer.wrap(packed, used, packed.length - used)
                .putInt(key.length)
                .putLong(bytes)
                .put(key);
        used += HEADER_BYTES + key.length;
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
