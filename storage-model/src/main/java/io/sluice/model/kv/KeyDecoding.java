package io.sluice.model.kv;

import io.sluice.model.row.Row;

/**
 * Reads and skips datums that {@link KeyEncoding} encoded. In bytes, 00 ff stands for 00, and 00 01 is the terminator;
 * all complemented when descending.
 */
final class KeyDecoding {
    private static final int UUID_BYTES = 16;

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private KeyDecoding() {}

    /** Whether NULL comes next. */
    static boolean isNull(ByteCursor key, boolean descending) {
        return key.peek() == (descending ? KeyEncoding.NULL_DESCENDING : KeyEncoding.NULL_ASCENDING);
    }

    /** Reads one datum, NULL included, into the row. The value later restores what the key encoding lost. */
    static void read(Shape shape, boolean descending, ByteCursor key, Row row, int column) {
        if (isNull(key, descending)) {
            key.skip(1);
            row.setNull(column);
            return;
        }
        switch (shape) {
            case INT -> row.setLong(column, readInt(key, descending));
            case BOOL -> row.setLong(column, readBool(key, descending));
            case FLOAT -> row.setDouble(column, readDouble(key, descending));
            case DECIMAL -> DecimalDecoding.readKey(key, descending, row, column);
            case BYTES -> readBytes(key, descending, row, column);
            case TIMESTAMP -> readTimestamp(key, descending, row, column);
            case UUID -> readUuid(key, descending, row, column);
        }
    }

    /** Skips one datum, NULL included. */
    static void skip(Shape shape, boolean descending, ByteCursor key) {
        if (isNull(key, descending)) {
            key.skip(1);
            return;
        }
        switch (shape) {
            case INT, BOOL -> readInt(key, descending);
            case FLOAT -> readDouble(key, descending);
            case DECIMAL -> DecimalDecoding.skipKey(key);
            case BYTES, UUID -> skipBytes(key, descending);
            case TIMESTAMP -> {
                key.skip(1);
                readInt(key, descending);
                readInt(key, descending);
            }
        }
    }

    static long readInt(ByteCursor key, boolean descending) {
        int first = key.readByte();
        long ordered;
        if (first >= KeyEncoding.INT_ZERO) {
            ordered = readUvarintAfter(first, key);
            if (ordered < 0) {
                throw key.corrupt("holds an integer beyond 63 bits");
            }
        } else {
            int count = KeyEncoding.INT_ZERO - first;
            if (count > Long.BYTES) {
                throw key.corrupt("holds no integer");
            }
            // The omitted leading bytes are ff.
            long high = count == Long.BYTES ? 0 : -1L << (8 * count);
            ordered = high | key.readBigEndian(count);
        }
        return descending ? ~ordered : ordered;
    }

    static long readUvarint(ByteCursor key) {
        return readUvarintAfter(key.readByte(), key);
    }

    private static long readUvarintAfter(int first, ByteCursor key) {
        if (first >= KeyEncoding.INT_ZERO && first <= KeyEncoding.INT_SMALL_MAX_BYTE) {
            return (long) first - KeyEncoding.INT_ZERO;
        }
        int count = first - KeyEncoding.INT_SMALL_MAX_BYTE;
        if (count < 1 || count > Long.BYTES) {
            throw key.corrupt("holds no unsigned integer");
        }
        return key.readBigEndian(count);
    }

    static long readUvarintDescending(ByteCursor key) {
        int count = KeyEncoding.INT_ZERO - key.readByte();
        if (count < 0 || count > Long.BYTES) {
            throw key.corrupt("holds no descending integer");
        }
        return count == 0 ? 0 : ~key.readBigEndian(count) & (-1L >>> (Long.SIZE - 8 * count));
    }

    private static long readBool(ByteCursor key, boolean descending) {
        long value = readInt(key, descending);
        if (value != 0 && value != 1) {
            throw key.corrupt("holds no BOOL");
        }
        return value;
    }

    private static double readDouble(ByteCursor key, boolean descending) {
        int marker = key.readByte();
        if (marker == KeyEncoding.FLOAT_ZERO) {
            return 0;
        }
        if (marker == (descending ? KeyEncoding.FLOAT_NAN_DESCENDING : KeyEncoding.FLOAT_NAN)) {
            return Double.longBitsToDouble(ValueEncoding.NAN_BITS);
        }
        if (marker != KeyEncoding.FLOAT_NEGATIVE && marker != KeyEncoding.FLOAT_POSITIVE) {
            throw key.corrupt("holds no FLOAT");
        }
        boolean negative = marker == KeyEncoding.FLOAT_NEGATIVE;
        long bits = key.readLong();
        double value = Double.longBitsToDouble(negative ? ~bits : bits);
        if (!(negative ? value < 0 : value > 0)) {
            throw key.corrupt("holds a FLOAT whose sign is wrong");
        }
        return descending ? -value : value;
    }

    private static void readTimestamp(ByteCursor key, boolean descending, Row row, int column) {
        if (key.readByte() != KeyEncoding.TIMESTAMP) {
            throw key.corrupt("holds no TIMESTAMP");
        }
        long seconds = readInt(key, descending);
        row.setTimestamp(column, seconds, checkedNanos(readInt(key, descending), key));
    }

    static int checkedNanos(long nanos, ByteCursor from) {
        if (nanos < 0 || nanos >= NANOS_PER_SECOND) {
            throw from.corrupt("holds a TIMESTAMP whose nanoseconds are no part of a second");
        }
        return (int) nanos;
    }

    /** Points the row's slot into the key if the bytes are unescaped there, otherwise into the row's scratch buffer. */
    private static void readBytes(ByteCursor key, boolean descending, Row row, int column) {
        int start = key.position() + 1;
        int escapes = skipBytes(key, descending);
        int stored = key.position() - 2 - start;
        int length = stored - escapes;
        if (escapes == 0 && !descending) {
            row.setBytes(column, key.array(), start, length);
            return;
        }
        int offset = row.scratch(length);
        unescape(key.array(), start, start + stored, descending, row.scratchBuffer(), offset);
        row.setBytes(column, row.scratchBuffer(), offset, length);
    }

    private static void readUuid(ByteCursor key, boolean descending, Row row, int column) {
        int start = key.position() + 1;
        int escapes = skipBytes(key, descending);
        int stored = key.position() - 2 - start;
        if (stored - escapes != UUID_BYTES) {
            throw key.corrupt("holds a UUID that is not 16 bytes long");
        }
        byte[] uuid = new byte[UUID_BYTES];
        unescape(key.array(), start, start + stored, descending, uuid, 0);
        row.setUuid(column, Bits.getLong(uuid, 0), Bits.getLong(uuid, Long.BYTES));
    }

    /**
     * Skips marker, bytes and terminator.
     *
     * @return number of escaped bytes
     */
    private static int skipBytes(ByteCursor key, boolean descending) {
        int mask = descending ? 0xff : 0;
        if (key.readByte() != (descending ? KeyEncoding.BYTES_DESCENDING : KeyEncoding.BYTES_ASCENDING)) {
            throw key.corrupt("holds no bytes");
        }
        int escapes = 0;
        while (true) {
            if ((key.readByte() ^ mask) != KeyEncoding.ESCAPE) {
                continue;
            }
            int escaped = key.readByte() ^ mask;
            if (escaped == KeyEncoding.TERMINATOR) {
                return escapes;
            }
            if (escaped != KeyEncoding.ESCAPED_ZERO) {
                throw key.corrupt("holds an unknown escape");
            }
            escapes++;
        }
    }

    private static void unescape(byte[] from, int start, int end, boolean descending, byte[] to, int offset) {
        byte mask = (byte) (descending ? 0xff : 0);
        int out = offset;
        for (int i = start; i < end; i++) {
            byte value = (byte) (from[i] ^ mask);
            to[out++] = value;
            if (value == KeyEncoding.ESCAPE) {
                i++; // the ff after it
            }
        }
    }
}
