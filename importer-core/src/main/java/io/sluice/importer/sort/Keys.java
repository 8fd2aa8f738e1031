package io.sluice.importer.sort;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Compares keys by eight bytes at a time, as unsigned numbers. */
final class Keys {
    static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Keys() {}

    /**
     * Eight bytes of a key from {@code depth} on, as a number; its unsigned order is the order of the bytes. Bytes
     * after the key's end count as zero.
     */
    static long prefix(byte[] buffer, int keyOffset, int keyLength, int depth) {
        int length = keyLength - depth;
        int offset = keyOffset + depth;
        if (length >= Long.BYTES) {
            return (long) LONG.get(buffer, offset);
        }
        if (length <= 0) {
            return 0;
        }
        if (offset + Long.BYTES <= buffer.length) {
            return (long) LONG.get(buffer, offset) & (-1L << (Long.SIZE - Byte.SIZE * length));
        }
        long word = 0;
        for (int i = 0; i < length; i++) {
            word |= (buffer[offset + i] & 0xffL) << (Long.SIZE - Byte.SIZE * (i + 1));
        }
        return word;
    }
}
