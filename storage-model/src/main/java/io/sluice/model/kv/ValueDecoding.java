package io.sluice.model.kv;

import io.sluice.model.row.Row;

/** Decodes datums that {@link ValueEncoding} encoded, after their tag. */
final class ValueDecoding {
    private ValueDecoding() {}

    /** Reads one datum into the row; a BYTES slot becomes a view of the value. */
    static void read(Shape shape, int type, ByteCursor value, Row row, int column) {
        if (shape == Shape.BOOL) {
            if (type != ValueEncoding.TYPE_TRUE && type != ValueEncoding.TYPE_FALSE) {
                throw wrongType(shape, type, value);
            }
            row.setLong(column, type == ValueEncoding.TYPE_TRUE ? 1 : 0);
            return;
        }
        if (type != shape.valueType) {
            throw wrongType(shape, type, value);
        }
        switch (shape) {
            case INT -> row.setLong(column, value.readZigzag());
            case FLOAT -> row.setDouble(column, Double.longBitsToDouble(value.readLong()));
            case DECIMAL -> DecimalDecoding.readValue(value, row, column);
            case BYTES -> {
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
            case BOOL -> throw new AssertionError("read above");
        }
    }

    private static CorruptKvException wrongType(Shape shape, int type, ByteCursor value) {
        return value.corrupt("has a datum of type " + type + " in a column of shape " + shape);
    }
}
