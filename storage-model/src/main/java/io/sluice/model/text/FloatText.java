package io.sluice.model.text;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.function.Predicate;

/**
 * Formats floating point numbers as PostgreSQL 12 and later do: the fewest digits that parse to the same number, plain
 * or with an exponent of at least two digits.
 */
final class FloatText {
    /** Plain notation starts at 0.0001 ... */
    private static final int MIN_PLAIN_EXPONENT = -4;
    /** ... and ends below 10^15 for FLOAT8 and 10^6 for FLOAT4, the digits that each type always keeps. */
    private static final int DOUBLE_DIGITS = 15;

    private static final int FLOAT_DIGITS = 6;

    private FloatText() {}

    static String of(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value) || value == 0) {
            return special(value);
        }
        BigDecimal digits = shortest(new BigDecimal(Double.toString(value)), shorter -> shorter.doubleValue() == value);
        return layout(digits, DOUBLE_DIGITS);
    }

    static String of(float value) {
        if (Float.isNaN(value) || Float.isInfinite(value) || value == 0) {
            return special(value);
        }
        BigDecimal digits = shortest(new BigDecimal(Float.toString(value)), shorter -> shorter.floatValue() == value);
        return layout(digits, FLOAT_DIGITS);
    }

    private static String special(double value) {
        if (value == 0) {
            return 1 / value < 0 ? "-0" : "0";
        }
        return Double.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    }

    /** Removes superfluous digits of the JDK's text; before version 19 there is often one. */
    private static BigDecimal shortest(BigDecimal text, Predicate<BigDecimal> same) {
        BigDecimal best = text.stripTrailingZeros();
        while (best.precision() > 1) {
            BigDecimal shorter = best.round(new MathContext(best.precision() - 1, RoundingMode.HALF_EVEN));
            if (!same.test(shorter)) {
                return best;
            }
            best = shorter.stripTrailingZeros();
        }
        return best;
    }

    private static String layout(BigDecimal value, int plainDigits) {
        int exponent = value.precision() - value.scale() - 1;
        if (exponent >= MIN_PLAIN_EXPONENT && exponent < plainDigits) {
            return value.toPlainString();
        }
        StringBuilder text = new StringBuilder();
        String digits = value.unscaledValue().abs().toString();
        text.append(value.signum() < 0 ? "-" : "").append(digits.charAt(0));
        if (digits.length() > 1) {
            text.append('.').append(digits, 1, digits.length());
        }
        text.append('e').append(exponent < 0 ? '-' : '+');
        int magnitude = Math.abs(exponent);
        return text.append(magnitude < 10 ? "0" : "").append(magnitude).toString();
    }
}
