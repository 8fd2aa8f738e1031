package io.sluice.model.kv;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads and writes eight bytes at a time, for encoders that would otherwise loop over bytes. */
final class Bits {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final long LOW_BITS = 0x0101_0101_0101_0101L;
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private Bits() {}

    static long getLong(byte[] buffer, int offset) {
        return (long) LONG.get(buffer, offset);
    }

    static void putLong(byte[] buffer, int offset, long value) {
        LONG.set(buffer, offset, value);
    }

    static int getInt(byte[] buffer, int offset) {
        return (int) INT.get(buffer, offset);
    }

    static void putInt(byte[] buffer, int offset, int value) {
        INT.set(buffer, offset, value);
    }

    /**
     * Writes the {@code count} low bytes of a value, big-endian, with one store. The store overwrites all eight bytes
     * at {@code offset}; only the first {@code count} are meaningful.
     */
    static void putLowBytes(byte[] buffer, int offset, long value, int count) {
        LONG.set(buffer, offset, value << (Long.SIZE - 8 * count));
    }

    /** Number of bytes that an unsigned value needs; 0 for 0. */
    static int bytesOf(long value) {
        return (Long.SIZE + 7 - Long.numberOfLeadingZeros(value)) >>> 3;
    }

    /** Whether any of a word's eight bytes is 0 (Mycroft's test, as in Hacker's Delight, 6-1). */
    static boolean hasZeroByte(long word) {
        return ((word - LOW_BITS) & ~word & HIGH_BITS) != 0;
    }
}
