package io.sluice.importer.source;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The layout of blocks in a container file that was converted from columns: a codec of Avro's container files whose
 * blocks have their values field by field, as the stored file has them.
 *
 * <pre>
 *   block   for each field of the schema
 *             nulls (byte)    REQUIRED, ALL_THERE, or SOME
 *             width (int)     bytes of a value; LENGTHS if each has its length (int) in front; AVRO
 *             length (int)    of what follows
 *             a byte for each row, 0 for NULL and 1 for a value, if nulls are SOME
 *             the values that are not NULL, one after the other
 *
 *   of width DICTIONARY, in front of what follows the length
 *             width (int)     bytes of a value of the dictionary, or LENGTHS
 *             length (int)    of the dictionary
 *             its values, at most 256
 *           and each value that is not NULL is the number of one of these, in a byte
 * </pre>
 *
 * <p>Numbers are little-endian, as those of Parquet are. Values of width AVRO are those of the field's schema in Avro's
 * encoding, with the branch of a union in front; their nulls are REQUIRED.
 */
public final class ColumnBlocks {
    /** The codec's name in headers of files. */
    public static final String CODEC = "columns";

    /** Bytes in front of each field. */
    public static final int HEAD_BYTES = 1 + 2 * Integer.BYTES;

    /** Nulls of a field that cannot be NULL. */
    public static final byte REQUIRED = 0;

    /** Nulls of a field that could be NULL, and is not in this block. */
    public static final byte ALL_THERE = 1;

    /** Nulls of a field that is NULL in some rows. */
    public static final byte SOME = 2;

    /** Width of values with their lengths in front. */
    public static final int LENGTHS = 0;

    /** Width of values in Avro's encoding. */
    public static final int AVRO = -1;

    /** Width of values that are numbers in a dictionary. */
    public static final int DICTIONARY = -2;

    /** Most values of a dictionary: their numbers have one byte. */
    public static final int MOST_DICTIONARY_VALUES = 256;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private ColumnBlocks() {}

    /** Four bytes as a number. */
    public static int intAt(byte[] bytes, int at) {
        return (int) INT.get(bytes, at);
    }

    /** Eight bytes as a number. */
    public static long longAt(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    /** Writes a number as four bytes. */
    public static void putInt(byte[] bytes, int at, int value) {
        INT.set(bytes, at, value);
    }

    /** Writes a number as eight bytes. */
    public static void putLong(byte[] bytes, int at, long value) {
        LONG.set(bytes, at, value);
    }
}
