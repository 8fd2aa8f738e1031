package io.sluice.model.kv;

import io.sluice.model.row.Row;
import io.sluice.model.schema.TypeKind;

/**
 * Encodes and decodes datums without column ids: the elements of an ARRAY and the numbers of a JSON document. Immutable
 * and thread-safe.
 */
public final class ElementCodec {
    private final Shape shape;

    private ElementCodec(Shape shape) {
        this.shape = shape;
    }

    /** The codec of a type other than JSON and ARRAY. */
    public static ElementCodec of(TypeKind kind) {
        return new ElementCodec(Shape.of(kind));
    }

    /** Upper bound on the bytes that {@link #put} touches. */
    public int maxBytes(Row row, int column) {
        long bytes = ValueEncoding.maxBytes(shape);
        switch (shape) {
            case BYTES, BIT -> bytes += row.length(column);
            case DECIMAL ->
                bytes += row.form(column) == Row.Form.BIG_DECIMAL
                        ? DecimalEncoding.extraBytes(row.bigCoefficient(column))
                        : 0;
            default -> {}
        }
        return Math.toIntExact(bytes);
    }

    /** Writes a datum that is not NULL; returns the position after it. */
    public int put(Row row, int column, byte[] buffer, int at) {
        return ValueEncoding.putUntagged(shape, row, column, buffer, at);
    }

    /** Writes the tag that says of which type the elements are: at most two bytes. Returns the position after it. */
    public int putType(byte[] buffer, int at) {
        if (shape.valueType < ValueEncoding.LONG_TYPE) {
            buffer[at] = (byte) shape.valueType;
            return at + 1;
        }
        buffer[at] = ValueEncoding.LONG_TYPE;
        buffer[at + 1] = (byte) shape.valueType;
        return at + 2;
    }

    /** Writes a count as the binary form of an array has it: at most five bytes. */
    public static int putCount(int count, byte[] buffer, int at) {
        return ValueEncoding.putBe128(count, buffer, at);
    }

    /** The elements of an array, one after the other. For one thread. */
    public static final class Elements {
        private final Shape shape;
        private final ByteCursor cursor;
        private final int count;
        /** Position of the bits that say which elements are NULL; negative if none is. */
        private final int nulls;

        private int next;

        /**
         * Starts to read an array.
         *
         * @throws CorruptKvException if the bytes are no array of the type
         */
        public Elements(TypeKind kind, byte[] buffer, int from, int length) {
            shape = Shape.of(kind);
            cursor = ByteCursor.ofKey(buffer, from, length);
            int header = cursor.readByte();
            long type = cursor.readByte();
            if (type == ValueEncoding.LONG_TYPE) {
                type = cursor.readByte();
            }
            long elements = cursor.readBe128();
            boolean withNulls = (header & HAS_NULLS) != 0;
            if ((header & ~HAS_NULLS) != ONE_DIMENSION || type != shape.valueType || elements > 8L * length) {
                throw cursor.corrupt("is no array of " + kind);
            }
            count = (int) elements;
            nulls = withNulls ? cursor.position() : -1;
            if (withNulls) {
                cursor.skip((count + 7) / 8);
            }
        }

        /** Reads the next element into a slot; false at the end. */
        public boolean next(Row row, int column) {
            if (next == count) {
                if (cursor.remaining() > 0) {
                    throw cursor.corrupt("has bytes after the last element");
                }
                return false;
            }
            boolean isNull = nulls >= 0 && (cursor.array()[nulls + next / 8] >> next % 8 & 1) != 0;
            next++;
            if (isNull) {
                row.setNull(column);
            } else {
                long type = shape == Shape.BOOL ? cursor.readByte() : shape.valueType;
                ValueEncoding.read(shape, type, cursor, row, column);
            }
            return true;
        }
    }

    /** In the first byte of an array: it has NULLs, and a bit for each element. */
    public static final int HAS_NULLS = 1 << 4;

    /** The first byte of an array without NULLs. */
    public static final int ONE_DIMENSION = 1;

    /**
     * Reads a DECIMAL with its length.
     *
     * @return the position after it
     * @throws CorruptKvException if the bytes are no DECIMAL
     */
    public static int readDecimal(byte[] buffer, int from, int to, Row row, int column) {
        ByteCursor cursor = ByteCursor.ofKey(buffer, from, to - from);
        DecimalDecoding.readValue(cursor, row, column);
        return cursor.position();
    }
}
