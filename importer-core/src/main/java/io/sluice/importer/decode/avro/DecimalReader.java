package io.sluice.importer.decode.avro;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumProblem;
import java.math.BigInteger;
import org.apache.avro.LogicalTypes;
import org.jspecify.annotations.Nullable;

/**
 * Readers of decimals: a whole number in two's complement, most significant byte first, of a scale that the schema
 * names.
 */
final class DecimalReader {
    private static final DatumProblem NO_BYTES =
            new DatumProblem(DatumProblem.Code.SYNTAX, "a decimal must have at least one byte");

    private DecimalReader() {}

    static @Nullable FieldReader ofBytes(LogicalTypes.Decimal decimal, ColumnType type, int column) {
        if (type.kind() != TypeKind.DECIMAL) {
            return null;
        }
        DecimalFit fit = new DecimalFit(type, decimal.getScale());
        return (in, row, problems) -> {
            int length = in.readLength();
            int from = in.at;
            in.at = from + length;
            problems.take(column, length == 0 ? NO_BYTES : set(fit, in.buffer, from, length, row, column));
        };
    }

    static @Nullable FieldReader ofFixed(LogicalTypes.Decimal decimal, int size, ColumnType type, int column) {
        if (type.kind() != TypeKind.DECIMAL || size == 0) {
            return null;
        }
        DecimalFit fit = new DecimalFit(type, decimal.getScale());
        return (in, row, problems) -> {
            in.require(size);
            int from = in.at;
            in.at = from + size;
            problems.take(column, set(fit, in.buffer, from, size, row, column));
        };
    }

    private static @Nullable DatumProblem set(DecimalFit fit, byte[] buffer, int from, int size, Row row, int column) {
        // Decimals are often mostly padding: 16 bytes for numbers that have less than 8.
        int padding = size <= Long.BYTES ? 0 : padding(buffer, from, size);
        int length = size - padding;
        if (length <= Long.BYTES) {
            return fit.set(BigEndian.signed(buffer, from + padding, length), row, column);
        }
        return length > DecimalFit.MAX_BYTES
                ? fit.tooManyDigits()
                : fit.set(new BigInteger(buffer, from + padding, length), row, column);
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
