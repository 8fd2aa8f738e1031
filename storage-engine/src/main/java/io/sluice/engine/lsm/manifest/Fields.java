package io.sluice.engine.lsm.manifest;

import java.util.Arrays;

/** Reads the fields of a version edit in sequence. Varints are little-endian base 128. For one thread. */
final class Fields {
    private final byte[] bytes;
    private final int end;
    private int position;

    /** Reads from an array, which is not copied. */
    Fields(byte[] bytes) {
        this.bytes = bytes;
        this.end = bytes.length;
    }

    /** Thrown for an edit that violates the format; the message has the place and the violation. */
    static final class MalformedEdit extends Exception {
        private static final long serialVersionUID = 1L;

        MalformedEdit(String message) {
            super(message);
        }
    }

    boolean atEnd() {
        return position == end;
    }

    int position() {
        return position;
    }

    /** Reads an unsigned number of up to 64 bits. */
    long varint(String what) throws MalformedEdit {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            if (position == end) {
                throw new MalformedEdit("ends within " + what);
            }
            byte b = bytes[position++];
            value |= (b & 0x7fL) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new MalformedEdit("has a number of more than 64 bits for " + what);
    }

    /** Reads a non-negative number that fits into an int. */
    int varint32(String what) throws MalformedEdit {
        long value = varint(what);
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new MalformedEdit("has the impossible number " + Long.toUnsignedString(value) + " for " + what);
        }
        return (int) value;
    }

    /** Reads length-prefixed bytes. */
    byte[] slice(String what) throws MalformedEdit {
        int length = varint32("the length of " + what);
        if (length > end - position) {
            throw new MalformedEdit("ends within " + what);
        }
        byte[] slice = Arrays.copyOfRange(bytes, position, position + length);
        position += length;
        return slice;
    }

    /** Reads a user key: an internal key without the sequence number and the type at its end. */
    byte[] userKey(String what) throws MalformedEdit {
        byte[] internal = slice(what);
        if (internal.length < Long.BYTES) {
            throw new MalformedEdit("has " + what + " without a sequence number");
        }
        return Arrays.copyOf(internal, internal.length - Long.BYTES);
    }
}
