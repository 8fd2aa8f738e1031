package io.sluice.importer.decode.avro;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumProblem;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import org.apache.avro.LogicalTypes;
import org.jspecify.annotations.Nullable;

/**
 * Reads decimals: a whole number in two's complement, most significant byte first, of a scale that the schema names.
 * Brings decimals of one scale to a column's type, as the text parser of DECIMAL does: with a precision to exactly the
 * column's scale, rounded half away from zero; without, as they are. Numbers of up to 18 digits stay in a {@code long}.
 */
final class DecimalReader {
    /**
     * Two's complement of 16,383 digits, the longest DECIMAL that is read from text: 16,383 * log2(10) / 8, and a sign.
     */
    private static final int MAX_BYTES = 6_804;

    private static final DatumProblem NO_BYTES =
            new DatumProblem(DatumProblem.Code.SYNTAX, "a decimal must have at least one byte");

    private static final int LONG_DIGITS = 18;
    private static final int MAX_ADJUSTED_EXPONENT = 2000;
    private static final long[] POWERS = new long[LONG_DIGITS + 1];

    static {
        POWERS[0] = 1;
        for (int i = 1; i < POWERS.length; i++) {
            POWERS[i] = POWERS[i - 1] * 10;
        }
    }

    private final int precision;
    private final int scale;
    private final int fromScale;

    /** Zeros to append; below zero, digits to round away. */
    private final int shift;

    /** Smallest magnitude that is too large for the column, in units of its scale; 0 when a long cannot say. */
    private final long bound;

    private final DatumProblem outOfRange;

    /**
     * @param type a DECIMAL
     * @param fromScale scale of the numbers to come
     */
    DecimalReader(ColumnType type, int fromScale) {
        precision = type.precision();
        scale = type.scale();
        this.fromScale = fromScale;
        shift = scale - fromScale;
        bound = precision <= LONG_DIGITS ? POWERS[precision] : 0;
        outOfRange = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE,
                precision == 0
                        ? "out of range for DECIMAL: its exponent must be -" + MAX_ADJUSTED_EXPONENT + " to "
                                + MAX_ADJUSTED_EXPONENT
                        : "out of range for " + type.sql() + ": at most " + (precision - scale)
                                + " digits before the decimal point");
    }

    /** Sets a slot to {@code unscaled * 10^-fromScale}; null when the column can hold it. */
    @Nullable
    DatumProblem set(long unscaled, Row row, int column) {
        if (precision == 0) {
            if (fromScale > MAX_ADJUSTED_EXPONENT - LONG_DIGITS) {
                return set(BigInteger.valueOf(unscaled), row, column);
            }
            row.setDecimal(column, unscaled, -fromScale);
            return null;
        }
        long scaled;
        if (shift <= 0 && shift >= -LONG_DIGITS) {
            scaled = divideHalfAway(unscaled, POWERS[-shift]);
        } else if (shift > 0 && shift <= LONG_DIGITS && isBelow(unscaled, POWERS[LONG_DIGITS - shift])) {
            scaled = unscaled * POWERS[shift];
        } else {
            return set(BigInteger.valueOf(unscaled), row, column);
        }
        // Precisions above 18 digits hold every long.
        if (bound != 0 && !isBelow(scaled, bound)) {
            return outOfRange;
        }
        row.setDecimal(column, scaled, -scale);
        return null;
    }

    /** Whether a magnitude is below a limit; also for the smallest long, which has no positive twin. */
    private static boolean isBelow(long value, long limit) {
        return value < limit && value > -limit;
    }

    private static long divideHalfAway(long dividend, long divisor) {
        long quotient = dividend / divisor;
        if (2 * Math.abs(dividend % divisor) >= divisor) {
            quotient += dividend < 0 ? -1 : 1;
        }
        return quotient;
    }

    /** The same for numbers of any length. */
    @Nullable
    DatumProblem set(BigInteger unscaled, Row row, int column) {
        BigDecimal value = new BigDecimal(unscaled, fromScale);
        if (precision == 0) {
            int adjusted = value.precision() - fromScale - 1;
            if (Math.abs(adjusted) > MAX_ADJUSTED_EXPONENT) {
                return outOfRange;
            }
            row.setBigDecimal(column, unscaled, -fromScale);
            return null;
        }
        BigDecimal fitted = value.setScale(scale, RoundingMode.HALF_UP);
        if (fitted.signum() != 0 && fitted.precision() > precision) {
            return outOfRange;
        }
        row.setBigDecimal(column, fitted.unscaledValue(), -scale);
        return null;
    }

    static @Nullable FieldReader ofBytes(LogicalTypes.Decimal decimal, ColumnType type, int column) {
        if (type.kind() != TypeKind.DECIMAL) {
            return null;
        }
        DecimalReader fit = new DecimalReader(type, decimal.getScale());
        return (in, row) -> {
            int length = in.readLength();
            int from = in.at;
            in.at = from + length;
            in.refuse(column, length == 0 ? NO_BYTES : set(fit, in.buffer, from, length, row, column));
        };
    }

    static @Nullable FieldReader ofFixed(LogicalTypes.Decimal decimal, int size, ColumnType type, int column) {
        if (type.kind() != TypeKind.DECIMAL || size == 0) {
            return null;
        }
        DecimalReader fit = new DecimalReader(type, decimal.getScale());
        return (in, row) -> {
            in.require(size);
            int from = in.at;
            in.at = from + size;
            in.refuse(column, set(fit, in.buffer, from, size, row, column));
        };
    }

    private static @Nullable DatumProblem set(
            DecimalReader fit, byte[] buffer, int from, int size, Row row, int column) {
        // Decimals are often mostly padding: 16 bytes for numbers that have less than 8.
        int padding = size <= Long.BYTES ? 0 : padding(buffer, from, size);
        int length = size - padding;
        if (length <= Long.BYTES) {
            return fit.set(AvroInput.signed(buffer, from + padding, length), row, column);
        }
        return length > MAX_BYTES
                ? fit.outOfRange
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
