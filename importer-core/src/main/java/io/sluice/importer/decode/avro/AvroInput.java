package io.sluice.importer.decode.avro;

/**
 * A position in bytes of Avro's binary encoding. Reads values and moves on; a value that goes beyond the end is
 * malformed. The caller owns the buffer. One per decoder, for one thread.
 */
final class AvroInput {
    /** Deep enough for any table's rows; recursive schemas could otherwise overflow the stack. */
    private static final int MAX_DEPTH = 64;

    byte[] buffer = new byte[0];
    int at;
    int end;
    private int depth;

    /** Points at {@code [from, to)} of a buffer. */
    void reset(byte[] newBuffer, int from, int to) {
        buffer = newBuffer;
        at = from;
        end = to;
        depth = 0;
    }

    /** Moves to a position, the start of a datum. */
    void seek(int position) {
        at = position;
        depth = 0;
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
        int bits = BigEndian.reversedInt(buffer, at);
        at += Float.BYTES;
        return Float.intBitsToFloat(bits);
    }

    double readDouble() throws MalformedDatum {
        require(Double.BYTES);
        long bits = Long.reverseBytes(BigEndian.longAt(buffer, at));
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
}
