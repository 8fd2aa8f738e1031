package io.sluice.model.text;

import io.sluice.model.row.Row;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Parses FLOAT4 and FLOAT8, correctly rounded. Decimal notation only; NaN, Infinity and inf in any case.
 *
 * <p>The fast path is Clinger's: a coefficient below 2^53 and a power of ten up to 10^22 are both exact doubles, so one
 * multiplication or division rounds once and rightly (W. Clinger, "How to read floating point numbers accurately", PLDI
 * 1990). The rest goes through the JDK.
 */
final class FloatParser extends NumberParser {
    /** 10^15 is below 2^53: every coefficient with this many digits is an exact double. */
    private static final int EXACT_DIGITS = 15;

    /** 10^22 = 2^22 * 5^22, and 5^22 is below 2^53. */
    private static final double[] EXACT_POWERS = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };

    /** The bits of a double below the last bit of a float: 52 - 23. */
    private static final long BELOW_FLOAT = (1L << 29) - 1;

    private static final long HALF_OF_FLOAT = 1L << 28;

    private final boolean single;
    private final DatumProblem outOfRange;

    FloatParser(boolean single) {
        super(type(single) + " must be a decimal number, optionally with an exponent, or NaN, Infinity or -Infinity");
        this.single = single;
        outOfRange = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE,
                "out of range for " + type(single) + ": its magnitudes are 0, "
                        + (single ? "1.4e-45 to 3.4028235e38" : "4.9e-324 to 1.7976931348623157e308")
                        + ", Infinity and NaN");
    }

    private static String type(boolean single) {
        return single ? "FLOAT4" : "FLOAT8";
    }

    @Override
    @Nullable
    DatumProblem convert(
            long coefficient, int significant, int exponent, byte[] buffer, int start, int end, Row row, int column) {
        double value;
        if (significant <= EXACT_DIGITS && exponent >= -22 && exponent <= 22) {
            double magnitude =
                    exponent < 0 ? coefficient / EXACT_POWERS[-exponent] : coefficient * EXACT_POWERS[exponent];
            value = isNegative(buffer, start) ? -magnitude : magnitude;
            if (single) {
                value = canRoundAgain(magnitude) ? (float) value : slowSingle(buffer, start, end);
            }
        } else {
            value = single ? slowSingle(buffer, start, end) : slowDouble(buffer, start, end);
        }
        // The value overflows, or a non-zero value rounds to zero; PostgreSQL refuses both.
        if (Double.isInfinite(value) || (value == 0 && significant > 0)) {
            return outOfRange;
        }
        row.setDouble(column, value);
        return null;
    }

    @Override
    @Nullable
    DatumProblem word(byte[] buffer, int start, int end, Row row, int column) {
        if (Ascii.isWord(buffer, start, end, "nan")) {
            row.setDouble(column, Double.NaN);
            return null;
        }
        if (!isInfinity(buffer, afterSign(buffer, start), end)) {
            return syntax;
        }
        row.setDouble(column, isNegative(buffer, start) ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
        return null;
    }

    /**
     * Whether rounding the rounded double to float equals rounding the text once. It may not if the double lies exactly
     * in the middle of two floats, because the text may lie on either side of it. For subnormal floats the middle is
     * elsewhere.
     */
    private static boolean canRoundAgain(double magnitude) {
        return magnitude == 0
                || (magnitude >= Float.MIN_NORMAL
                        && (Double.doubleToRawLongBits(magnitude) & BELOW_FLOAT) != HALF_OF_FLOAT);
    }

    private static double slowDouble(byte[] buffer, int start, int end) {
        return Double.parseDouble(new String(buffer, start, end - start, StandardCharsets.ISO_8859_1));
    }

    private static double slowSingle(byte[] buffer, int start, int end) {
        return Float.parseFloat(new String(buffer, start, end - start, StandardCharsets.ISO_8859_1));
    }
}
