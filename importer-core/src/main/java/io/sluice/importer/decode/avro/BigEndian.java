package io.sluice.importer.decode.avro;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers of fixed width in byte arrays, most significant byte first. */
final class BigEndian {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT_LITTLE =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private BigEndian() {}

    static long longAt(byte[] buffer, int at) {
        return (long) LONG.get(buffer, at);
    }

    /** Four bytes with the least significant first, as Avro writes floats. */
    static int reversedInt(byte[] buffer, int at) {
        return (int) INT_LITTLE.get(buffer, at);
    }

    /** A number in two's complement of 1 to 8 bytes. */
    static long signed(byte[] buffer, int from, int length) {
        long value = buffer[from];
        for (int i = 1; i < length; i++) {
            value = value << Byte.SIZE | (buffer[from + i] & 0xff);
        }
        return value;
    }
}
