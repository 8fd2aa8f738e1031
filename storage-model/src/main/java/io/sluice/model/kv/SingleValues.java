package io.sluice.model.kv;

import io.sluice.model.row.Row;

/**
 * Encodes and decodes the untagged value of a column family with a single column: a type, then the datum up to the end
 * of the value. The scheme is CockroachDB's (sql/rowenc, roachpb.ValueType, 20.2).
 */
final class SingleValues {
    private static final int INT = 1;
    private static final int FLOAT = 2;
    private static final int BYTES = 3;
    private static final int TIME = 4;
    private static final int DECIMAL = 5;
    private static final int DURATION = 6;
    private static final int BITARRAY = 11;
    private static final int TIMETZ = 12;

    private SingleValues() {}

    static int type(Shape shape) {
        return switch (shape) {
            case INT, BOOL -> INT;
            case FLOAT -> FLOAT;
            case BYTES, UUID, INET, JSON, ARRAY -> BYTES;
            case TIMESTAMP -> TIME;
            case DECIMAL -> DECIMAL;
            case INTERVAL -> DURATION;
            case BIT -> BITARRAY;
            case TIMETZ -> TIMETZ;
        };
    }

    /** Writes one datum that is not NULL; returns the position after it. */
    static int put(Shape shape, Row row, int column, byte[] buffer, int at) {
        return switch (shape) {
            case INT, FLOAT, UUID, INET, BIT -> ValueEncoding.putUntagged(shape, row, column, buffer, at);
            // TRUE and FALSE are the integers 1 and 0.
            case BOOL -> ValueEncoding.putUntagged(Shape.INT, row, column, buffer, at);
            case DECIMAL -> DecimalEncoding.putBareValue(row, column, buffer, at);
            case BYTES, JSON, ARRAY -> {
                int length = row.length(column);
                System.arraycopy(row.buffer(column), row.offset(column), buffer, at, length);
                yield at + length;
            }
            case TIMESTAMP, INTERVAL, TIMETZ -> KeyEncoding.putDatum(shape, false, row, column, buffer, at);
        };
    }

    /**
     * Reads one datum up to the end of the value; a slot of bytes becomes a view of the value.
     *
     * @throws CorruptKvException if the bytes are not one datum of this shape
     */
    static void read(Shape shape, ByteCursor value, Row row, int column) {
        switch (shape) {
            case INT, FLOAT, UUID, INET, BIT -> ValueEncoding.read(shape, shape.valueType, value, row, column);
            case BOOL -> {
                long number = value.readZigzag();
                if (number != 0 && number != 1) {
                    throw value.corrupt("has a BOOL that is neither 0 nor 1");
                }
                row.setLong(column, number);
            }
            case DECIMAL -> DecimalDecoding.readBareValue(value, value.remaining(), row, column);
            case BYTES, JSON, ARRAY -> {
                int start = value.position();
                int length = value.remaining();
                value.skip(length);
                row.setBytes(column, value.array(), start, length);
            }
            case TIMESTAMP, INTERVAL, TIMETZ -> KeyDecoding.read(shape, false, value, row, column);
        }
        if (value.remaining() > 0) {
            throw value.corrupt("has bytes after its datum");
        }
    }
}
