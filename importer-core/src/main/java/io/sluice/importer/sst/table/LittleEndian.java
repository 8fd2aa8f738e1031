package io.sluice.importer.sst.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers of fixed width, lowest byte first. */
final class LittleEndian {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private LittleEndian() {}

    /** Writes a number and returns the offset after it. */
    static int putInt(byte[] bytes, int offset, int number) {
        INT.set(bytes, offset, number);
        return offset + Integer.BYTES;
    }

    /** Writes a number and returns the offset after it. */
    static int putLong(byte[] bytes, int offset, long number) {
        LONG.set(bytes, offset, number);
        return offset + Long.BYTES;
    }
}
