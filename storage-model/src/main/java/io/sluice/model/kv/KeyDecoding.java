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
            case INTERVAL -> readInterval(key, descending, row, column);
            case TIMETZ -> readTimetz(key, descending, row, column);
            case INET -> {
                readBytes(key, descending, row, column);
                checkInet(row, column, key);
            }
            case BIT -> readBits(key, descending, row, column);
            case JSON, ARRAY -> throw KeyEncoding.inNoKey(shape);
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
            case BYTES, UUID, INET -> skipBytes(key, descending);
            case TIMESTAMP, TIMETZ -> {
                key.skip(1);
                readInt(key, descending);
                readInt(key, descending);
            }
            case INTERVAL -> {
                key.skip(1);
                readInt(key, descending);
                readInt(key, descending);
                readInt(key, descending);
            }
            case BIT -> {
                key.skip(1);
                while (key.peek() != terminator(descending)) {
                    readWord(key, descending);
                }
                key.skip(1);
                readWord(key, descending);
            }
            case JSON, ARRAY -> throw KeyEncoding.inNoKey(shape);
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

    private static void readInterval(ByteCursor key, boolean descending, Row row, int column) {
        if (key.readByte() != KeyEncoding.INTERVAL) {
            throw key.corrupt("holds no INTERVAL");
        }
        long total = readInt(key, descending);
        long months = readInt(key, descending);
        long days = readInt(key, descending);
        long rest = total - (months * KeyEncoding.DAYS_PER_MONTH + days) * KeyEncoding.NANOS_PER_DAY;
        row.setInterval(column, checkedInt(months, key), checkedInt(days, key), rest);
    }

    static int checkedInt(long value, ByteCursor from) {
        if (value != (int) value) {
            throw from.corrupt("holds a number that is out of range");
        }
        return (int) value;
    }

    private static void readTimetz(ByteCursor key, boolean descending, Row row, int column) {
        if (key.readByte() != KeyEncoding.TIMETZ) {
            throw key.corrupt("holds no TIMETZ");
        }
        long utc = readInt(key, descending);
        int west = checkedInt(readInt(key, descending), key);
        row.setTimetz(column, utc - west * KeyEncoding.MICROS_PER_SECOND, west);
    }

    static void checkInet(Row row, int column, ByteCursor from) {
        int length = row.length(column);
        if (length < 1 || length != (row.buffer(column)[row.offset(column)] == 0 ? 6 : 18)) {
            throw from.corrupt("holds no INET");
        }
    }

    private static int terminator(boolean descending) {
        return descending ? KeyEncoding.BIT_TERMINATOR_DESCENDING : KeyEncoding.BIT_TERMINATOR;
    }

    private static long readWord(ByteCursor key, boolean descending) {
        return descending ? readUvarintDescending(key) : readUvarint(key);
    }

    private static void readBits(ByteCursor key, boolean descending, Row row, int column) {
        if (key.readByte() != (descending ? KeyEncoding.BIT_DESCENDING : KeyEncoding.BIT_ASCENDING)) {
            throw key.corrupt("holds no BIT");
        }
        int start = key.position();
        int words = 0;
        for (; key.peek() != terminator(descending); words++) {
            readWord(key, descending);
        }
        key.skip(1);
        long last = readWord(key, descending);
        if (last < 0 || last > Long.SIZE || (words == 0) != (last == 0)) {
            throw key.corrupt("holds a BIT whose last word has no such length");
        }
        int length = words == 0 ? 0 : (words - 1) * Long.SIZE + (int) last;
        int offset = row.scratch(length);
        ByteCursor again = ByteCursor.ofKey(key.array(), start, key.position() - start);
        for (int bit = 0; bit < length; bit += Long.SIZE) {
            putDigits(
                    readWord(again, descending), row.scratchBuffer(), offset + bit, Math.min(Long.SIZE, length - bit));
        }
        row.setBytes(column, row.scratchBuffer(), offset, length);
    }

    /** Writes the first bits of a word as digits. */
    static void putDigits(long word, byte[] out, int at, int count) {
        for (int i = 0; i < count; i++) {
            out[at + i] = (byte) ('0' + ((word >>> (Long.SIZE - 1 - i)) & 1));
        }
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
