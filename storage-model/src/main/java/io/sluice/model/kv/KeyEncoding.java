package io.sluice.model.kv;

import io.sluice.model.row.Row;

/**
 * Encodes datums in keys, as bytes whose unsigned order is the SQL order. The scheme is CockroachDB's (util/encoding,
 * 20.2).
 *
 * <p>Every {@code put} writes at a position and returns the position after the datum. It may overwrite bytes after the
 * returned position, up to the maximum in its comment or {@link #maxBytes}; the caller leaves that much room.
 */
final class KeyEncoding {
    static final int NULL_ASCENDING = 0x00;
    static final int NULL_DESCENDING = 0xff;
    static final int FLOAT_NAN = 0x02;
    static final int FLOAT_NEGATIVE = 0x03;
    static final int FLOAT_ZERO = 0x04;
    static final int FLOAT_POSITIVE = 0x05;
    static final int FLOAT_NAN_DESCENDING = 0x06;
    static final int BYTES_ASCENDING = 0x12;
    static final int BYTES_DESCENDING = 0x13;
    static final int TIMESTAMP = 0x14;
    static final int INTERVAL = 0x16;
    static final int BIT_ASCENDING = 0x3a;
    static final int BIT_DESCENDING = 0x3b;
    static final int TIMETZ = 0x3c;

    /** Ends the words of a BIT. */
    static final int BIT_TERMINATOR = 0x00;

    static final int BIT_TERMINATOR_DESCENDING = 0xff;
    static final long MICROS_PER_SECOND = 1_000_000;
    static final long NANOS_PER_DAY = 86_400_000_000_000L;
    static final int DAYS_PER_MONTH = 30;

    /**
     * First byte of the integer 0; lower bytes are lengths of negative integers, higher ones small integers, then
     * lengths.
     */
    static final int INT_ZERO = 0x88;

    /** The largest integer that is encoded as a single byte, and that byte. */
    static final int INT_SMALL_MAX = 109;

    static final int INT_SMALL_MAX_BYTE = INT_ZERO + INT_SMALL_MAX;

    /** A byte 00 inside BYTES is escaped as 00 ff; 00 01 is the terminator. */
    static final int ESCAPE = 0x00;

    static final int ESCAPED_ZERO = 0xff;
    static final int TERMINATOR = 0x01;

    /** Separates the levels of an interleaved key. */
    static final int INTERLEAVED_SENTINEL = 0xfe;

    /** Ends the keys of column family 0; a key of another family ends with a greater byte. */
    static final int FAMILY_ZERO_SUFFIX = 0x88;

    /** Maximum length of an integer: a length byte and eight bytes. */
    static final int MAX_INT_BYTES = 9;

    private KeyEncoding() {}

    /** Maximum length of a datum in a key. {@link SizeBound} adds the variable length of BYTES and wide decimals. */
    static int maxBytes(Shape shape) {
        return switch (shape) {
            case INT, BOOL -> MAX_INT_BYTES;
            case FLOAT -> 1 + Double.BYTES;
            case DECIMAL -> DecimalEncoding.MAX_KEY_BYTES;
            case BYTES -> 3; // marker, escape, terminator
            case TIMESTAMP -> 1 + 2 * MAX_INT_BYTES;
            case UUID -> 3 + 2 * 16; // every byte escaped
            case INTERVAL -> 1 + 3 * MAX_INT_BYTES;
            case TIMETZ -> 1 + 2 * MAX_INT_BYTES;
            case INET -> 3 + 2 * 18; // family, prefix and 16 bytes, every byte escaped
            case BIT -> 2 + 2 * MAX_INT_BYTES; // marker, the last word, terminator, bits of the last word
            case JSON, ARRAY -> throw inNoKey(shape);
        };
    }

    /** Writes one datum, NULL included. */
    static int putDatum(Shape shape, boolean descending, Row row, int column, byte[] buffer, int at) {
        if (row.isNull(column)) {
            buffer[at] = (byte) (descending ? NULL_DESCENDING : NULL_ASCENDING);
            return at + 1;
        }
        return switch (shape) {
            case INT, BOOL -> putInt(row.longValue(column), descending, buffer, at);
            case FLOAT -> putDouble(row.doubleValue(column), descending, buffer, at);
            case DECIMAL -> DecimalEncoding.putKey(row, column, descending, buffer, at);
            case BYTES -> putBytes(row.buffer(column), row.offset(column), row.length(column), descending, buffer, at);
            case TIMESTAMP -> putTimestamp(row.seconds(column), row.nanos(column), descending, buffer, at);
            case UUID -> putUuid(row.uuidMost(column), row.uuidLeast(column), descending, buffer, at);
            case INTERVAL, TIMETZ, INET, BIT, JSON, ARRAY -> putRare(shape, descending, row, column, buffer, at);
        };
    }

    /** Writes a datum of a rare type; apart, so that the common ones stay small enough to be inlined. */
    private static int putRare(Shape shape, boolean descending, Row row, int column, byte[] buffer, int at) {
        return switch (shape) {
            case INTERVAL -> {
                buffer[at] = INTERVAL;
                int months = row.months(column);
                int days = row.days(column);
                long total = ((long) months * DAYS_PER_MONTH + days) * NANOS_PER_DAY + row.intervalNanos(column);
                int out = putInt(months, descending, buffer, putInt(total, descending, buffer, at + 1));
                yield putInt(days, descending, buffer, out);
            }
            case TIMETZ -> {
                buffer[at] = TIMETZ;
                int west = row.westSeconds(column);
                long utc = row.longValue(column) + west * MICROS_PER_SECOND;
                yield putInt(west, descending, buffer, putInt(utc, descending, buffer, at + 1));
            }
            case INET -> putBytes(row.buffer(column), row.offset(column), row.length(column), descending, buffer, at);
            case BIT -> putBits(row, column, descending, buffer, at);
            default -> throw inNoKey(shape);
        };
    }

    /** CockroachDB 20.2 has no keys of JSON and ARRAY that are ordered as their values; DDL lets no index have them. */
    static IllegalArgumentException inNoKey(Shape shape) {
        return new IllegalArgumentException("no key holds a column of shape " + shape);
    }

    private static int putBits(Row row, int column, boolean descending, byte[] buffer, int at) {
        buffer[at] = (byte) (descending ? BIT_DESCENDING : BIT_ASCENDING);
        int length = row.length(column);
        int out = at + 1;
        for (int bit = 0; bit < length; bit += Long.SIZE) {
            long word = bits(row, column, bit);
            out = descending ? putUvarintDescending(word, buffer, out) : putUvarint(word, buffer, out);
        }
        buffer[out++] = (byte) (descending ? BIT_TERMINATOR_DESCENDING : BIT_TERMINATOR);
        int last = length == 0 ? 0 : (length - 1) % Long.SIZE + 1;
        return descending ? putUvarintDescending(last, buffer, out) : putUvarint(last, buffer, out);
    }

    /** The 64 bits of a BIT from a position on, those beyond its end 0. */
    static long bits(Row row, int column, int from) {
        byte[] digits = row.buffer(column);
        int end = Math.min(row.length(column), from + Long.SIZE);
        long word = 0;
        for (int i = from; i < end; i++) {
            word |= (long) (digits[row.offset(column) + i] - '0') << (Long.SIZE - 1 - (i - from));
        }
        return word;
    }

    /** Writes an unsigned integer, at most 9 bytes. */
    static int putUvarint(long value, byte[] buffer, int at) {
        if (value >= 0 && value <= INT_SMALL_MAX) {
            buffer[at] = (byte) (INT_ZERO + value);
            return at + 1;
        }
        int count = Bits.bytesOf(value);
        buffer[at] = (byte) (INT_SMALL_MAX_BYTE + count);
        Bits.putLowBytes(buffer, at + 1, value, count);
        return at + 1 + count;
    }

    /** Writes an unsigned integer so that larger ones sort first, at most 9 bytes. Only decimals use this form. */
    static int putUvarintDescending(long value, byte[] buffer, int at) {
        if (value == 0) {
            buffer[at] = (byte) INT_ZERO;
            return at + 1;
        }
        int count = Bits.bytesOf(value);
        buffer[at] = (byte) (INT_ZERO - count);
        Bits.putLowBytes(buffer, at + 1, ~value, count);
        return at + 1 + count;
    }

    /** Writes a signed integer, at most 9 bytes. */
    static int putInt(long value, boolean descending, byte[] buffer, int at) {
        // ~v = -v - 1 reverses the order without leaving the range.
        long ordered = descending ? ~value : value;
        if (ordered >= 0) {
            return putUvarint(ordered, buffer, at);
        }
        int count = Bits.bytesOf(-ordered);
        buffer[at] = (byte) (INT_ZERO - count);
        Bits.putLowBytes(buffer, at + 1, ordered, count);
        return at + 1 + count;
    }

    private static int putDouble(double value, boolean descending, byte[] buffer, int at) {
        if (Double.isNaN(value)) {
            buffer[at] = (byte) (descending ? FLOAT_NAN_DESCENDING : FLOAT_NAN);
            return at + 1;
        }
        if (value == 0) {
            buffer[at] = FLOAT_ZERO;
            return at + 1;
        }
        long bits = Double.doubleToRawLongBits(descending ? -value : value);
        buffer[at] = (byte) (bits < 0 ? FLOAT_NEGATIVE : FLOAT_POSITIVE);
        Bits.putLong(buffer, at + 1, bits < 0 ? ~bits : bits);
        return at + 1 + Double.BYTES;
    }

    private static int putTimestamp(long seconds, int nanos, boolean descending, byte[] buffer, int at) {
        buffer[at] = TIMESTAMP;
        return putInt(nanos, descending, buffer, putInt(seconds, descending, buffer, at + 1));
    }

    private static int putBytes(byte[] from, int offset, int length, boolean descending, byte[] buffer, int at) {
        long mask = descending ? -1 : 0;
        int end = offset + length;
        int next = offset;
        buffer[at] = (byte) (descending ? BYTES_DESCENDING : BYTES_ASCENDING);
        int out = at + 1;
        for (; end - next >= Long.BYTES; next += Long.BYTES) {
            out = putWord(Bits.getLong(from, next), mask, buffer, out);
        }
        for (; next < end; next++) {
            out = putEscaped(from[next], mask, buffer, out);
        }
        return putTerminator(mask, buffer, out);
    }

    private static int putUuid(long most, long least, boolean descending, byte[] buffer, int at) {
        long mask = descending ? -1 : 0;
        buffer[at] = (byte) (descending ? BYTES_DESCENDING : BYTES_ASCENDING);
        return putTerminator(mask, buffer, putWord(least, mask, buffer, putWord(most, mask, buffer, at + 1)));
    }

    private static int putWord(long word, long mask, byte[] buffer, int at) {
        if (!Bits.hasZeroByte(word)) {
            Bits.putLong(buffer, at, word ^ mask);
            return at + Long.BYTES;
        }
        int out = at;
        for (int shift = Long.SIZE - 8; shift >= 0; shift -= 8) {
            out = putEscaped((byte) (word >>> shift), mask, buffer, out);
        }
        return out;
    }

    private static int putEscaped(byte value, long mask, byte[] buffer, int at) {
        buffer[at] = (byte) (value ^ mask);
        if (value != ESCAPE) {
            return at + 1;
        }
        buffer[at + 1] = (byte) (ESCAPED_ZERO ^ mask);
        return at + 2;
    }

    private static int putTerminator(long mask, byte[] buffer, int at) {
        buffer[at] = (byte) (ESCAPE ^ mask);
        buffer[at + 1] = (byte) (TERMINATOR ^ mask);
        return at + 2;
    }

    /** Writes the prefix of an index, or of one level of an interleaved index: at most 18 bytes. */
    static int putIndexPrefix(int tableId, int indexId, byte[] buffer, int at) {
        return putUvarint(indexId, buffer, putUvarint(tableId, buffer, at));
    }

    /** Writes a column family's suffix: at most 10 bytes. */
    static int putFamilySuffix(int family, byte[] buffer, int at) {
        if (family == 0) {
            buffer[at] = (byte) FAMILY_ZERO_SUFFIX;
            return at + 1;
        }
        int end = putUvarint(family, buffer, at);
        return putUvarint(end - at, buffer, end);
    }
}
