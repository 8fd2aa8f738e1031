package io.sluice.importer.decode.avro;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.text.DatumProblem;
import io.sluice.model.text.DecimalParser;
import java.math.BigInteger;
import org.apache.avro.LogicalTypes;
import org.jspecify.annotations.Nullable;

/**
 * Reads decimals: a whole number in two's complement, most significant byte first, of a scale that the schema names.
 * {@link DecimalParser} fits them to a DECIMAL; those of scale 0 also fill integers, as some systems have no others.
 */
final class DecimalReader {
    /**
     * Two's complement of 16,383 digits, the longest DECIMAL that is read from text: 16,383 * log2(10) / 8, and a sign.
     */
    private static final int MAX_BYTES = 6_804;

    /** Stands for the size of numbers that have their lengths in front. */
    private static final int LENGTHS = -1;

    private static final DatumProblem NO_BYTES =
            new DatumProblem(DatumProblem.Code.SYNTAX, "a decimal must have at least one byte");

    private DecimalReader() {}

    static @Nullable FieldReader ofBytes(LogicalTypes.Decimal decimal, ColumnType type, int column) {
        Fit fit = fit(decimal, type, column);
        if (fit == null) {
            return null;
        }
        return new Decimal(fit, LENGTHS, column);
    }

    static @Nullable FieldReader ofFixed(LogicalTypes.Decimal decimal, int size, ColumnType type, int column) {
        Fit fit = fit(decimal, type, column);
        if (fit == null || size == 0) {
            return null;
        }
        return new Decimal(fit, size, column);
    }

    /** Reads a number of so many bytes, or of {@link #LENGTHS}. */
    private record Decimal(Fit fit, int size, int column) implements FieldReader {
        @Override
        public void read(AvroInput in, Row row) throws MalformedDatum {
            int length = size == LENGTHS ? in.readLength() : size;
            in.require(length);
            int from = in.at;
            in.at = from + length;
            in.refuse(column, length == 0 ? NO_BYTES : fit.set(in.buffer, from, length, row));
        }

        @Override
        public void readAll(AvroInput in, Row[] rows, int count) throws MalformedDatum {
            for (int i = 0; i < count; i++) {
                read(in, rows[i]);
            }
        }
    }

    /** Sets the column to a number. */
    private interface Fit {
        @Nullable
        DatumProblem set(byte[] buffer, int from, int size, Row row);
    }

    private static @Nullable Fit fit(LogicalTypes.Decimal decimal, ColumnType type, int column) {
        int exponent = -decimal.getScale();
        return switch (type.kind()) {
            case DECIMAL -> {
                DecimalParser parser = new DecimalParser(type);
                yield (buffer, from, size, row) -> set(parser, buffer, from, size, exponent, row, column);
            }
            case INT2, INT4, INT8 -> exponent == 0 ? whole(type, column) : null;
            default -> null;
        };
    }

    private static Fit whole(ColumnType type, int column) {
        long min = type.minInt();
        long max = type.maxInt();
        DatumProblem outOfRange = NumberReaders.outOfRange(type);
        return (buffer, from, size, row) -> {
            int padding = padding(buffer, from, size);
            long value = size - padding > Long.BYTES ? 0 : AvroInput.signed(buffer, from + padding, size - padding);
            if (size - padding > Long.BYTES || value < min || value > max) {
                return outOfRange;
            }
            row.setLong(column, value);
            return null;
        };
    }

    private static @Nullable DatumProblem set(
            DecimalParser fit, byte[] buffer, int from, int size, int exponent, Row row, int column) {
        // Decimals are often mostly padding: 16 bytes for numbers that have less than 8.
        int padding = size <= Long.BYTES ? 0 : padding(buffer, from, size);
        int length = size - padding;
        if (length <= Long.BYTES) {
            return fit.set(AvroInput.signed(buffer, from + padding, length), exponent, row, column);
        }
        return length > MAX_BYTES
                ? fit.outOfRange()
                : fit.set(new BigInteger(buffer, from + padding, length), exponent, row, column);
    }

    /** Number of leading bytes that only repeat the sign. */
    private static int padding(byte[] buffer, int from, int size) {
        byte sign = (byte) (buffer[from] >> 7);
        int i = 0;
        while (i < size - 1 && buffer[from + i] == sign && (buffer[from + i + 1] >> 7) == sign) {
            i++;
        }
        return i;
    }
}
