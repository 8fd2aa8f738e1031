package io.sluice.engine.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Hashes keys: eight bytes at a time, multiplied and folded, so that all bits of the result are well mixed. */
final class KeyHash {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** 2^64 divided by the golden ratio, made odd: Knuth's multiplier (TAOCP 3, 6.4). */
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private KeyHash() {}

    static long of(byte[] key, long seed) {
        long hash = seed ^ key.length;
        int at = 0;
        for (; at + Long.BYTES <= key.length; at += Long.BYTES) {
            hash = mix(hash ^ (long) LONGS.get(key, at));
        }
        long tail = 0;
        for (; at < key.length; at++) {
            tail = (tail << Byte.SIZE) | (key[at] & 0xFF);
        }
        return mix(hash ^ tail);
    }

    /** Folds a product: its high half depends on all bits of the factor, its low half only on the lower ones. */
    private static long mix(long bits) {
        long product = bits * MULTIPLIER;
        return product ^ Math.multiplyHigh(bits, MULTIPLIER);
    }
}
