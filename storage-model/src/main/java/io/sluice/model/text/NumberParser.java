package io.sluice.model.text;

import io.sluice.model.row.Row;
import org.jspecify.annotations.Nullable;

/**
 * Scans a number of any type that has a fraction: a sign, digits with a point, and an exponent. The subclass converts
 * what was found, or reads a word such as NaN.
 */
abstract class NumberParser implements DatumParser {
    /** Digits of a coefficient that is exact in a long: 18 nines are below 2^63. */
    static final int LONG_DIGITS = 18;
    /** No exponent above this limit is in range. Ten times the limit plus a text's length still fits an int. */
    private static final int MAX_EXPONENT = 100_000_000;

    final DatumProblem syntax;

    NumberParser(String syntax) {
        this.syntax = new DatumProblem(DatumProblem.Code.SYNTAX, syntax);
    }

    @Override
    public final @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int start = Ascii.skipSpaces(buffer, from, to);
        int end = Ascii.trimEnd(buffer, start, to);
        if (start == end) {
            return syntax;
        }
        int at = afterSign(buffer, start);
        long coefficient = 0;
        int significant = 0;
        int digits = 0;
        int fractionDigits = 0;
        boolean fraction = false;
        for (; at < end; at++) {
            byte b = buffer[at];
            if (Ascii.isDigit(b)) {
                digits++;
                if (fraction) {
                    fractionDigits++;
                }
                if (significant > 0 || b != '0') {
                    significant++;
                    if (significant <= LONG_DIGITS) {
                        coefficient = coefficient * 10 + (b - '0');
                    }
                }
            } else if (b == '.' && !fraction) {
                fraction = true;
            } else {
                break;
            }
        }
        if (digits == 0) {
            return word(buffer, start, end, row, column);
        }
        int exponent = 0;
        if (at < end) {
            if ((buffer[at] | 0x20) != 'e' || !isExponent(buffer, at + 1, end)) {
                return syntax;
            }
            exponent = exponent(buffer, at + 1, end);
        }
        return convert(coefficient, significant, exponent - fractionDigits, buffer, start, end, row, column);
    }

    /**
     * Sets a slot to {@code coefficient * 10^exponent}, negative if the text begins with a minus.
     *
     * @param coefficient the first {@value #LONG_DIGITS} significant digits
     * @param significant number of digits without leading zeros
     * @return null when the slot was set, else why it was not
     */
    abstract @Nullable DatumProblem convert(
            long coefficient, int significant, int exponent, byte[] buffer, int start, int end, Row row, int column);

    /** Reads a text without digits: NaN, infinity, or what is no number. */
    abstract @Nullable DatumProblem word(byte[] buffer, int start, int end, Row row, int column);

    static boolean isNegative(byte[] buffer, int start) {
        return buffer[start] == '-';
    }

    static int afterSign(byte[] buffer, int start) {
        return buffer[start] == '-' || buffer[start] == '+' ? start + 1 : start;
    }

    /** Whether a text after its sign is infinity. */
    static boolean isInfinity(byte[] buffer, int from, int end) {
        return Ascii.isWord(buffer, from, end, "infinity") || Ascii.isWord(buffer, from, end, "inf");
    }

    private static boolean isExponent(byte[] buffer, int from, int to) {
        int digits = from < to ? afterSign(buffer, from) : from;
        return digits < to && Ascii.digitsEnd(buffer, digits, to) == to;
    }

    /** Parses a valid exponent; clamps one that is too large for every type to plus or minus 10^8. */
    private static int exponent(byte[] buffer, int from, int to) {
        int value = 0;
        for (int at = afterSign(buffer, from); at < to; at++) {
            value = Math.min(MAX_EXPONENT, value * 10 + (buffer[at] - '0'));
        }
        return isNegative(buffer, from) ? -value : value;
    }
}
