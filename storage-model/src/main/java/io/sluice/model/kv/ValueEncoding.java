package io.sluice.model.kv;

import io.sluice.model.row.Row;

/**
 * Encodes and decodes datums in values: a tag with column and type, then the datum, compact and lossless. The scheme is
 * CockroachDB's (util/encoding, 20.2).
 *
 * <p>Every {@code put} writes at a position and returns the position after the datum. It may overwrite bytes after the
 * returned position, up to {@link #maxBytes}; the caller leaves that much room.
 */
final class ValueEncoding {
    /** Value type of primary index KVs: a tuple of tagged datums. */
    static final int TUPLE = 0x0a;

    /** Value type of secondary index KVs: implicit columns as in keys, then a tuple. */
    static final int BYTES = 0x03;

    static final int TYPE_TRUE = 10;
    static final int TYPE_FALSE = 11;

    /** Bits of a tag that hold the type; the rest is the difference of column ids. */
    static final int TYPE_BITS = 4;

    /** A type in a tag that says that the type follows the tag. */
    static final int LONG_TYPE = (1 << TYPE_BITS) - 1;

    /** The CRC and the value type, in front of every payload. */
    static final int HEADER_BYTES = 5;

    /** Bits of the FLOAT NaN, which differ from Java's canonical NaN in the last bit. */
    static final long NAN_BITS = 0x7ff8_0000_0000_0001L;

    private static final int UUID_BYTES = 16;
    private static final int MAX_INET_BYTES = 18;

    /** A tag has 31 + 4 bits, five groups of seven. */
    private static final int MAX_TAG_BYTES = 5;

    private static final int MAX_LENGTH_BYTES = 5;
    private static final int MAX_VARINT_BYTES = 10;

    private ValueEncoding() {}

    /** Maximum length of a tagged datum. {@link SizeBound} adds the variable length of BYTES and wide decimals. */
    static int maxBytes(Shape shape) {
        return MAX_TAG_BYTES
                + switch (shape) {
                    case INT -> MAX_VARINT_BYTES;
                    case BOOL -> 0;
                    case FLOAT -> Double.BYTES;
                    case DECIMAL -> MAX_LENGTH_BYTES + DecimalEncoding.MAX_VALUE_BYTES;
                    case BYTES -> MAX_LENGTH_BYTES;
                    case TIMESTAMP -> 2 * MAX_VARINT_BYTES;
                    case UUID -> UUID_BYTES;
                    case INTERVAL -> 3 * MAX_VARINT_BYTES;
                    case TIMETZ -> 1 + 2 * MAX_VARINT_BYTES;
                    case INET -> MAX_INET_BYTES;
                    case BIT -> 1 + MAX_LENGTH_BYTES + Long.BYTES;
                    case JSON, ARRAY -> 1 + MAX_LENGTH_BYTES;
                };
    }

    /** Writes one datum that is not NULL, with its tag. */
    static int putDatum(Shape shape, int delta, Row row, int column, byte[] buffer, int at) {
        return switch (shape) {
            case INT -> putZigzag(row.longValue(column), buffer, putTag(delta, shape.valueType, buffer, at));
            case BOOL -> putTag(delta, row.longValue(column) != 0 ? TYPE_TRUE : TYPE_FALSE, buffer, at);
            case FLOAT -> putDouble(row.doubleValue(column), buffer, putTag(delta, shape.valueType, buffer, at));
            case DECIMAL -> DecimalEncoding.putValue(row, column, buffer, putTag(delta, shape.valueType, buffer, at));
            case BYTES ->
                putBytes(
                        row.buffer(column),
                        row.offset(column),
                        row.length(column),
                        buffer,
                        putTag(delta, shape.valueType, buffer, at));
            case TIMESTAMP -> {
                int seconds = putTag(delta, shape.valueType, buffer, at);
                int nanos = putZigzag(row.seconds(column), buffer, seconds);
                yield putZigzag(row.nanos(column), buffer, nanos);
            }
            case UUID -> {
                int uuid = putTag(delta, shape.valueType, buffer, at);
                Bits.putLong(buffer, uuid, row.uuidMost(column));
                Bits.putLong(buffer, uuid + Long.BYTES, row.uuidLeast(column));
                yield uuid + UUID_BYTES;
            }
            case INTERVAL, TIMETZ, INET, BIT, JSON, ARRAY -> putRare(shape, delta, row, column, buffer, at);
        };
    }

    /** Writes a datum of a rare type; apart, so that the common ones stay small enough to be inlined. */
    private static int putRare(Shape shape, int delta, Row row, int column, byte[] buffer, int at) {
        int out = putTag(delta, Math.min(shape.valueType, LONG_TYPE), buffer, at);
        if (shape.valueType >= LONG_TYPE) {
            buffer[out++] = (byte) shape.valueType;
        }
        return putRareData(shape, row, column, buffer, out);
    }

    private static int putRareData(Shape shape, Row row, int column, byte[] buffer, int at) {
        int out = at;
        return switch (shape) {
            case INTERVAL -> {
                out = putZigzag(row.days(column), buffer, putZigzag(row.months(column), buffer, out));
                yield putZigzag(row.intervalNanos(column), buffer, out);
            }
            case JSON, ARRAY -> putBytes(row.buffer(column), row.offset(column), row.length(column), buffer, out);
            case TIMETZ -> putZigzag(row.westSeconds(column), buffer, putZigzag(row.longValue(column), buffer, out));
            case INET -> {
                int length = row.length(column);
                System.arraycopy(row.buffer(column), row.offset(column), buffer, out, length);
                yield out + length;
            }
            case BIT -> {
                int length = row.length(column);
                out = putBe128(length, buffer, out);
                for (int bit = 0; bit < length; bit += Long.SIZE) {
                    Bits.putLong(buffer, out, KeyEncoding.bits(row, column, bit));
                    out += Long.BYTES;
                }
                yield out;
            }
            default -> throw new AssertionError(shape);
        };
    }

    /** Writes one datum that is not NULL without its tag, as an element of an array. A BOOL is nothing but its tag. */
    static int putUntagged(Shape shape, Row row, int column, byte[] buffer, int at) {
        return switch (shape) {
            case INT -> putZigzag(row.longValue(column), buffer, at);
            case BOOL -> putTag(0, row.longValue(column) != 0 ? TYPE_TRUE : TYPE_FALSE, buffer, at);
            case FLOAT -> putDouble(row.doubleValue(column), buffer, at);
            case DECIMAL -> DecimalEncoding.putValue(row, column, buffer, at);
            case BYTES -> putBytes(row.buffer(column), row.offset(column), row.length(column), buffer, at);
            case TIMESTAMP -> putZigzag(row.nanos(column), buffer, putZigzag(row.seconds(column), buffer, at));
            case UUID -> {
                Bits.putLong(buffer, at, row.uuidMost(column));
                Bits.putLong(buffer, at + Long.BYTES, row.uuidLeast(column));
                yield at + UUID_BYTES;
            }
            case INTERVAL, TIMETZ, INET, BIT, JSON, ARRAY -> putRareData(shape, row, column, buffer, at);
        };
    }

    private static int putTag(int delta, int type, byte[] buffer, int at) {
        if (delta < 1 << (7 - TYPE_BITS)) {
            buffer[at] = (byte) ((delta << TYPE_BITS) | type);
            return at + 1;
        }
        return putBe128(((long) delta << TYPE_BITS) | type, buffer, at);
    }

    private static int putDouble(double value, byte[] buffer, int at) {
        Bits.putLong(buffer, at, Double.isNaN(value) ? NAN_BITS : Double.doubleToRawLongBits(value));
        return at + Double.BYTES;
    }

    private static int putBytes(byte[] from, int offset, int length, byte[] buffer, int at) {
        int data = putBe128(length, buffer, at);
        System.arraycopy(from, offset, buffer, data, length);
        return data + length;
    }

    /** Writes an unsigned value in groups of seven bits, the most significant first. */
    static int putBe128(long value, byte[] buffer, int at) {
        int out = at;
        if (value >>> 7 != 0) {
            int shift = (Long.SIZE - 1 - Long.numberOfLeadingZeros(value)) / 7 * 7;
            for (; shift > 0; shift -= 7) {
                buffer[out++] = (byte) (0x80 | (value >>> shift));
            }
        }
        buffer[out] = (byte) (value & 0x7f);
        return out + 1;
    }

    /** Writes an unsigned value in groups of seven bits, the least significant first. */
    static int putLeb128(long value, byte[] buffer, int at) {
        int out = at;
        long rest = value;
        while (rest >>> 7 != 0) {
            buffer[out++] = (byte) (0x80 | rest);
            rest >>>= 7;
        }
        buffer[out] = (byte) rest;
        return out + 1;
    }

    private static int putZigzag(long value, byte[] buffer, int at) {
        return putLeb128((value << 1) ^ (value >> (Long.SIZE - 1)), buffer, at);
    }

    /** Reads one datum into the row; a BYTES slot becomes a view of the value. */
    static void read(Shape shape, long type, ByteCursor value, Row row, int column) {
        if (shape == Shape.BOOL) {
            if (type != TYPE_TRUE && type != TYPE_FALSE) {
                throw wrongType(shape, type, value);
            }
            row.setLong(column, type == TYPE_TRUE ? 1 : 0);
            return;
        }
        if (type != shape.valueType) {
            throw wrongType(shape, type, value);
        }
        switch (shape) {
            case INT -> row.setLong(column, value.readZigzag());
            case FLOAT -> row.setDouble(column, Double.longBitsToDouble(value.readLong()));
            case DECIMAL -> DecimalDecoding.readValue(value, row, column);
            case BYTES, JSON, ARRAY -> {
                long length = value.readBe128();
                int start = value.position();
                value.skip(length);
                row.setBytes(column, value.array(), start, (int) length);
            }
            case TIMESTAMP -> {
                long seconds = value.readZigzag();
                row.setTimestamp(column, seconds, KeyDecoding.checkedNanos(value.readZigzag(), value));
            }
            case UUID -> {
                long most = value.readLong();
                row.setUuid(column, most, value.readLong());
            }
            case INTERVAL -> {
                int months = KeyDecoding.checkedInt(value.readZigzag(), value);
                int days = KeyDecoding.checkedInt(value.readZigzag(), value);
                row.setInterval(column, months, days, value.readZigzag());
            }
            case TIMETZ -> {
                long micros = value.readZigzag();
                row.setTimetz(column, micros, KeyDecoding.checkedInt(value.readZigzag(), value));
            }
            case INET -> {
                int start = value.position();
                value.skip(value.peek() == 0 ? 6 : MAX_INET_BYTES);
                row.setBytes(column, value.array(), start, value.position() - start);
            }
            case BIT -> readBits(value, row, column);
            case BOOL -> throw new AssertionError("read above");
        }
    }

    private static void readBits(ByteCursor value, Row row, int column) {
        long bits = value.readBe128();
        long words = (bits + Long.SIZE - 1) / Long.SIZE;
        if (words > value.remaining() / Long.BYTES) {
            throw value.corrupt("holds a BIT that is longer than the value");
        }
        int length = (int) bits;
        int offset = row.scratch(length);
        for (int bit = 0; bit < length; bit += Long.SIZE) {
            KeyDecoding.putDigits(
                    value.readLong(), row.scratchBuffer(), offset + bit, Math.min(Long.SIZE, length - bit));
        }
        row.setBytes(column, row.scratchBuffer(), offset, length);
    }

    private static CorruptKvException wrongType(Shape shape, long type, ByteCursor value) {
        return value.corrupt("has a datum of type " + type + " in a column of shape " + shape);
    }
}
