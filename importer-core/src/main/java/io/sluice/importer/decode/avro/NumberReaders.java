package io.sluice.importer.decode.avro;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumProblem;
import io.sluice.model.text.DecimalParser;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Readers of int, long, float and double. Whole numbers are never rounded; a double becomes the nearest FLOAT4, as it
 * would in SQL.
 */
final class NumberReaders {
    private NumberReaders() {}

    /** The reader of int or long; null when the column takes no numbers. */
    static @Nullable FieldReader whole(Schema.Type avro, ColumnType type, int column) {
        return switch (type.kind()) {
            case INT2, INT4, INT8 -> {
                long narrowest = avro == Schema.Type.INT ? Integer.MIN_VALUE : Long.MIN_VALUE;
                long widest = avro == Schema.Type.INT ? Integer.MAX_VALUE : Long.MAX_VALUE;
                boolean fits = type.minInt() <= narrowest && type.maxInt() >= widest;
                yield !fits
                        ? ranged(type, type.minInt(), type.maxInt(), column)
                        : avro == Schema.Type.INT ? new Int(column) : new Whole(column);
            }
            case FLOAT4, FLOAT8 -> exact(type, column);
            case DECIMAL -> {
                DecimalParser fit = new DecimalParser(type);
                yield (in, row) -> in.refuse(column, fit.set(in.readLong(), 0, row, column));
            }
            default -> null;
        };
    }

    /** Reads an int into an integer column that holds all of them. */
    private record Int(int column) implements FieldReader {
        @Override
        public void read(AvroInput in, Row row) throws MalformedDatum {
            row.setLong(column, in.readInt());
        }

        @Override
        public void readAll(AvroInput in, Row[] rows, int count) throws MalformedDatum {
            for (int i = 0; i < count; i++) {
                read(in, rows[i]);
            }
        }
    }

    /** Reads a long into an integer column that holds all of them. */
    private record Whole(int column) implements FieldReader {
        @Override
        public void read(AvroInput in, Row row) throws MalformedDatum {
            row.setLong(column, in.readLong());
        }

        @Override
        public void readAll(AvroInput in, Row[] rows, int count) throws MalformedDatum {
            for (int i = 0; i < count; i++) {
                read(in, rows[i]);
            }
        }
    }

    /** The problem of a number that an integer column cannot hold. */
    static DatumProblem outOfRange(ColumnType type) {
        return new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE,
                "out of range for " + type.sql() + ": must be " + type.minInt() + " to " + type.maxInt());
    }

    private static FieldReader ranged(ColumnType type, long min, long max, int column) {
        DatumProblem outOfRange = outOfRange(type);
        return (in, row) -> {
            long value = in.readLong();
            if (value < min || value > max) {
                in.refuse(column, outOfRange);
            } else {
                row.setLong(column, value);
            }
        };
    }

    private static FieldReader exact(ColumnType type, int column) {
        boolean single = type.kind() == TypeKind.FLOAT4;
        DatumProblem inexact = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE,
                "out of range for " + type.sql() + ": the whole number would be rounded; declare INT8 or DECIMAL");
        return (in, row) -> {
            long value = in.readLong();
            double floating = single ? (float) value : (double) value;
            // The largest long rounds up to 2^63, which comes back as that long.
            if ((long) floating != value || floating == 0x1p63) {
                in.refuse(column, inexact);
            } else {
                row.setDouble(column, floating);
            }
        };
    }

    /** The reader of float or double; null when the column takes none. */
    static @Nullable FieldReader floating(Schema.Type avro, ColumnType type, int column) {
        boolean single = avro == Schema.Type.FLOAT;
        return switch (type.kind()) {
            case FLOAT4 -> single ? (in, row) -> row.setDouble(column, canonical(in.readFloat())) : narrowing(column);
            case FLOAT8 ->
                single
                        ? (in, row) -> row.setDouble(column, canonical(in.readFloat()))
                        : (in, row) -> row.setDouble(column, canonical(in.readDouble()));
            default -> null;
        };
    }

    private static FieldReader narrowing(int column) {
        DatumProblem outOfRange = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE,
                "out of range for FLOAT4: its magnitudes are 0, 1.4e-45 to 3.4028235e38, Infinity and NaN");
        return (in, row) -> {
            double value = in.readDouble();
            double nearest = (float) value;
            boolean overflow = Double.isInfinite(nearest) && !Double.isInfinite(value);
            if (overflow || (nearest == 0 && value != 0)) {
                in.refuse(column, outOfRange);
            } else {
                row.setDouble(column, canonical(nearest));
            }
        };
    }

    /** One NaN for all: equal rows must have equal bytes. */
    private static double canonical(double value) {
        return Double.isNaN(value) ? Double.NaN : value;
    }
}
