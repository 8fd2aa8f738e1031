package io.sluice.importer.decode.avro;

import io.sluice.importer.source.ColumnBlocks;
import io.sluice.model.text.DatumProblem;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A position in bytes of Avro's binary encoding, and the first problem of the present record's values. Reads values and
 * moves on; a value that goes beyond the end is malformed. The caller owns the buffer. One per decoder, or per field of
 * blocks that have their values by column; for one thread.
 */
sealed class AvroInput permits ColumnInput {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** Deep enough for any table's rows; recursive schemas could otherwise overflow the stack. */
    private static final int MAX_DEPTH = 64;

    byte[] buffer = new byte[0];
    int at;
    int end;
    private int depth;
    private @Nullable DatumProblem problem;
    private int problemColumn;

    /** Points at {@code [from, to)} of a buffer. */
    void reset(byte[] newBuffer, int from, int to) {
        buffer = newBuffer;
        end = to;
        seek(from);
    }

    /** Moves to a position, the start of a datum. */
    void seek(int position) {
        at = position;
        depth = 0;
        problem = null;
    }

    /** Takes a column's problem, or null; only the first one of a record counts. */
    void refuse(int column, @Nullable DatumProblem reason) {
        if (reason != null && problem == null) {
            problem = reason;
            problemColumn = column;
        }
    }

    /** Names the column of a problem that was found inside a nested value, where columns are unknown. */
    void nameProblem(int column) {
        problemColumn = column;
    }

    /** The first problem of the record, or null. */
    @Nullable
    DatumProblem problem() {
        return problem;
    }

    /** Position of the column that {@link #problem} is about. */
    int problemColumn() {
        return problemColumn;
    }

    /** Reads a {@code long}, or an {@code int} without checking its range. */
    long readLong() throws MalformedDatum {
        int i = at;
        if (i < end && buffer[i] >= 0) {
            long b = buffer[i];
            at = i + 1;
            return (b >>> 1) ^ -(b & 1);
        }
        return readLongLong();
    }

    private long readLongLong() throws MalformedDatum {
        byte[] bytes = buffer;
        int i = at;
        long raw = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            if (i >= end) {
                throw new MalformedDatum("a number is cut off");
            }
            byte b = bytes[i++];
            raw |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                if (shift == 63 && b > 1) {
                    break;
                }
                at = i;
                return (raw >>> 1) ^ -(raw & 1);
            }
        }
        throw new MalformedDatum("a number has more than 64 bits");
    }

    int readInt() throws MalformedDatum {
        long value = readLong();
        if (value != (int) value) {
            throw new MalformedDatum("an int has more than 32 bits");
        }
        return (int) value;
    }

    boolean readBoolean() throws MalformedDatum {
        require(1);
        byte b = buffer[at++];
        if ((b & ~1) != 0) {
            throw new MalformedDatum("a boolean is neither 0 nor 1");
        }
        return b == 1;
    }

    float readFloat() throws MalformedDatum {
        require(Float.BYTES);
        int bits = ColumnBlocks.intAt(buffer, at);
        at += Float.BYTES;
        return Float.intBitsToFloat(bits);
    }

    double readDouble() throws MalformedDatum {
        require(Double.BYTES);
        long bits = ColumnBlocks.longAt(buffer, at);
        at += Double.BYTES;
        return Double.longBitsToDouble(bits);
    }

    /** Reads the length of a string or of bytes, and checks that all of them are there. */
    int readLength() throws MalformedDatum {
        long length = readLong();
        if (length < 0 || length > end - at) {
            throw new MalformedDatum(
                    length < 0
                            ? "a length is negative"
                            : "a value of " + length + " bytes is longer than what follows");
        }
        return (int) length;
    }

    /** Reads an index below a bound: of a union's branch or an enum's symbol. */
    int readIndex(int bound, String what) throws MalformedDatum {
        long index = readLong();
        if (index < 0 || index >= bound) {
            throw new MalformedDatum(what + " has " + bound + " choices, and the data asks for number " + index);
        }
        return (int) index;
    }

    /** Whether each value of a union of NULL and a type is one of the type, and has no index. */
    boolean hasValues() {
        return false;
    }

    void skip(long bytes) throws MalformedDatum {
        if (bytes < 0 || bytes > end - at) {
            throw new MalformedDatum("a value of " + bytes + " bytes is longer than what follows");
        }
        at += (int) bytes;
    }

    /** Checks that so many bytes are there. */
    void require(int bytes) throws MalformedDatum {
        if (bytes > end - at) {
            throw new MalformedDatum("a value of " + bytes + " bytes is cut off");
        }
    }

    /** Goes one level down into nested records, arrays or maps; {@link #leave} comes back. */
    void enter() throws MalformedDatum {
        if (++depth > MAX_DEPTH) {
            throw new MalformedDatum("values are nested deeper than " + MAX_DEPTH + " levels");
        }
    }

    void leave() {
        depth--;
    }

    static long longAt(byte[] buffer, int at) {
        return (long) LONG.get(buffer, at);
    }

    /** A number in two's complement of 1 to 8 bytes. */
    static long signed(byte[] buffer, int from, int length) {
        if (length == Long.BYTES) {
            return longAt(buffer, from);
        }
        long value = buffer[from];
        for (int i = 1; i < length; i++) {
            value = value << Byte.SIZE | (buffer[from + i] & 0xff);
        }
        return value;
    }
}
