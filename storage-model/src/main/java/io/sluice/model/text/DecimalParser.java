package io.sluice.model.text;

import io.sluice.model.row.Row;
import io.sluice.model.row.Row.Form;
import io.sluice.model.schema.ColumnType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Parses DECIMAL, or fits a decimal of another source to the column. With a precision and scale, it pads or rounds the
 * number to exactly that many fraction digits (half away from zero), and rejects infinity. Without them, it keeps the
 * written scale and exponent. Zero has no sign.
 *
 * <p>Up to 18 significant digits stay in a {@code long}.
 */
public final class DecimalParser extends NumberParser {
    /** Maximum distance of the first digit of a DECIMAL without precision from the decimal point. */
    private static final int MAX_ADJUSTED_EXPONENT = 2000;

    /** Maximum number of digits, PostgreSQL's fraction limit. Bounds the quadratic time of parsing. */
    private static final int MAX_DIGITS = 16_383;

    private static final long[] POWERS = new long[LONG_DIGITS + 1];

    static {
        POWERS[0] = 1;
        for (int i = 1; i < POWERS.length; i++) {
            POWERS[i] = POWERS[i - 1] * 10;
        }
    }

    private final int precision;
    private final int scale;
    private final DatumProblem outOfRange;
    private final DatumProblem tooManyDigits;

    /** @param type a DECIMAL */
    public DecimalParser(ColumnType type) {
        super(type.sql() + " must be a decimal number, optionally with an exponent, or NaN"
                + (type.precision() == 0 ? ", Infinity or -Infinity" : ""));
        precision = type.precision();
        scale = type.scale();
        outOfRange = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE,
                precision == 0
                        ? "out of range for DECIMAL: its exponent must be -" + MAX_ADJUSTED_EXPONENT + " to "
                                + MAX_ADJUSTED_EXPONENT
                        : "out of range for " + type.sql() + ": at most " + (precision - scale)
                                + " digits before the decimal point");
        tooManyDigits = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE,
                "out of range for " + type.sql() + ": at most " + MAX_DIGITS + " digits are read");
    }

    @Override
    @Nullable
    DatumProblem convert(
            long coefficient, int significant, int exponent, byte[] buffer, int start, int end, Row row, int column) {
        boolean negative = isNegative(buffer, start);
        if (significant > LONG_DIGITS) {
            BigInteger magnitude = digits(buffer, afterSign(buffer, start), end);
            return magnitude == null
                    ? tooManyDigits
                    : set(negative ? magnitude.negate() : magnitude, exponent, row, column);
        }
        return set(negative ? -coefficient : coefficient, significant, exponent, row, column);
    }

    private @Nullable DatumProblem set(long coefficient, int significant, int exponent, Row row, int column) {
        return precision == 0
                ? keep(coefficient, significant, exponent, row, column)
                : fit(coefficient, significant, exponent, row, column);
    }

    /**
     * Sets a slot to {@code coefficient * 10^exponent}, padded or rounded as a text is.
     *
     * @return null when the slot was set, else why it was not
     */
    public @Nullable DatumProblem set(long coefficient, int exponent, Row row, int column) {
        int significant = digits(coefficient);
        return significant > LONG_DIGITS
                ? set(BigInteger.valueOf(coefficient), exponent, row, column)
                : set(coefficient, significant, exponent, row, column);
    }

    /** Number of decimal digits; 0 for 0. Its bits times log10(2) are the digits or one less. */
    private static int digits(long value) {
        long magnitude = Math.abs(value);
        if (magnitude < 0) {
            return LONG_DIGITS + 1;
        }
        int fewest = ((Long.SIZE - Long.numberOfLeadingZeros(magnitude)) * 1233) >>> 12;
        return magnitude >= POWERS[fewest] ? fewest + 1 : fewest;
    }

    /** The problem of a number that the column cannot hold. */
    public DatumProblem outOfRange() {
        return outOfRange;
    }

    /** Stores a DECIMAL without precision as written. */
    private @Nullable DatumProblem keep(long coefficient, int significant, int exponent, Row row, int column) {
        if (adjustedOutOfRange(significant, exponent)) {
            return outOfRange;
        }
        row.setDecimal(column, coefficient, exponent);
        return null;
    }

    private static boolean adjustedOutOfRange(int significant, int exponent) {
        // Zero counts as one digit.
        int adjusted = exponent + Math.max(1, significant) - 1;
        return adjusted < -MAX_ADJUSTED_EXPONENT || adjusted > MAX_ADJUSTED_EXPONENT;
    }

    /** Rounds or pads a number of at most 18 digits to the column's scale. */
    private @Nullable DatumProblem fit(long coefficient, int significant, int exponent, Row row, int column) {
        int shift = exponent + scale;
        if (coefficient == 0) {
            row.setDecimal(column, 0, -scale);
            return null;
        }
        if (shift >= 0) {
            if (shift > precision - significant) {
                return outOfRange;
            }
            if (significant + shift <= LONG_DIGITS) {
                row.setDecimal(column, coefficient * POWERS[shift], -scale);
            } else {
                row.setBigDecimal(column, BigInteger.valueOf(coefficient).multiply(BigInteger.TEN.pow(shift)), -scale);
            }
            return null;
        }
        long rounded = shift < -LONG_DIGITS ? 0 : divideHalfAway(coefficient, POWERS[-shift]);
        if (precision <= LONG_DIGITS && Math.abs(rounded) >= POWERS[precision]) {
            return outOfRange;
        }
        row.setDecimal(column, rounded, -scale);
        return null;
    }

    /** Divides and rounds to the nearest integer, halves away from zero; both operands below 10^18 + 1. */
    private static long divideHalfAway(long dividend, long divisor) {
        long quotient = dividend / divisor;
        if (2 * Math.abs(dividend % divisor) >= divisor) {
            quotient += dividend < 0 ? -1 : 1;
        }
        return quotient;
    }

    /**
     * As {@link #set(long, int, Row, int)}, for coefficients that do not fit a long.
     *
     * @return null when the slot was set, else why it was not
     */
    public @Nullable DatumProblem set(BigInteger coefficient, int exponent, Row row, int column) {
        BigDecimal value = new BigDecimal(coefficient, -exponent);
        int adjusted = value.precision() + exponent - 1;
        if (precision == 0) {
            if (adjusted < -MAX_ADJUSTED_EXPONENT || adjusted > MAX_ADJUSTED_EXPONENT) {
                return outOfRange;
            }
            row.setBigDecimal(column, coefficient, exponent);
            return null;
        }
        if (adjusted >= precision - scale) {
            return outOfRange;
        }
        if (adjusted < -scale - 1) {
            // Rounds to zero, and may be so small that BigDecimal cannot hold the quotient's scale.
            row.setDecimal(column, 0, -scale);
            return null;
        }
        BigDecimal fitted = value.setScale(scale, RoundingMode.HALF_UP);
        if (fitted.precision() > precision) {
            return outOfRange;
        }
        row.setBigDecimal(column, fitted.unscaledValue(), -scale);
        return null;
    }

    /** The number in front of the exponent without its point; null if it has too many digits. */
    private static @Nullable BigInteger digits(byte[] buffer, int from, int to) {
        byte[] digits = new byte[to - from];
        int length = 0;
        for (int at = from; at < to && (buffer[at] | 0x20) != 'e'; at++) {
            if (buffer[at] != '.') {
                digits[length++] = buffer[at];
            }
        }
        return length > MAX_DIGITS ? null : new BigInteger(new String(digits, 0, length, StandardCharsets.ISO_8859_1));
    }

    @Override
    @Nullable
    DatumProblem word(byte[] buffer, int start, int end, Row row, int column) {
        int from = afterSign(buffer, start);
        if (Ascii.isWord(buffer, from, end, "nan")) {
            row.setSpecialDecimal(column, Form.DECIMAL_NAN);
            return null;
        }
        if (!isInfinity(buffer, from, end)) {
            return syntax;
        }
        if (precision != 0) {
            return outOfRange;
        }
        row.setSpecialDecimal(
                column, isNegative(buffer, start) ? Form.DECIMAL_NEGATIVE_INFINITY : Form.DECIMAL_POSITIVE_INFINITY);
        return null;
    }
}
