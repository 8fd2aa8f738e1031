package io.sluice.model.text;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.HexFormat;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Formats datums as PostgreSQL does. The parser of the same type parses every text to the same datum.
 *
 * <p>Two choices among PostgreSQL's forms: BOOL is spelled out (true, false) as its cast to text does, and a DECIMAL
 * whose exponent is not a plain count of fraction digits is printed with it (1E+30), because stored decimals keep it.
 */
public final class DatumFormatter {
    private static final String BEFORE_CHRIST = " BC";
    private static final int SECONDS_PER_DAY = 86_400;
    /** Plain notation starts at 0.0001 ... */
    private static final int MIN_PLAIN_EXPONENT = -4;
    /** ... and ends below 10^15 for FLOAT8 and 10^6 for FLOAT4, the digits that each type always keeps. */
    private static final int DOUBLE_DIGITS = 15;

    private static final int FLOAT_DIGITS = 6;

    private DatumFormatter() {}

    /** Formats the datum in a row's slot; null for NULL. The slot must have been set with this type. */
    public static @Nullable String format(Row row, int column, ColumnType type) {
        if (row.isNull(column)) {
            return null;
        }
        return switch (type.kind()) {
            case BOOL -> row.longValue(column) == 0 ? "false" : "true";
            case INT2, INT4, INT8 -> Long.toString(row.longValue(column));
            case FLOAT4 -> floating((float) row.doubleValue(column));
            case FLOAT8 -> floating(row.doubleValue(column));
            case DECIMAL -> decimal(row, column);
            case STRING, BIT ->
                new String(row.buffer(column), row.offset(column), row.length(column), StandardCharsets.UTF_8);
            case BYTES -> bytes(row, column);
            case DATE -> date(row.longValue(column));
            case TIME -> time(row.longValue(column));
            case TIMETZ -> time(row.longValue(column)) + offset(-row.westSeconds(column));
            case INTERVAL -> IntervalParser.format(row.months(column), row.days(column), row.intervalNanos(column));
            case INET -> InetParser.format(row.buffer(column), row.offset(column), row.length(column));
            case TIMESTAMP -> timestamp(row.seconds(column), row.nanos(column), "");
            case TIMESTAMPTZ -> timestamp(row.seconds(column), row.nanos(column), "+00");
            case UUID -> new UUID(row.uuidMost(column), row.uuidLeast(column)).toString();
            case JSON -> JsonFormatter.format(row.buffer(column), row.offset(column), row.length(column));
            case ARRAY -> ArrayParser.format(row.buffer(column), row.offset(column), row.length(column), type);
        };
    }

    private static String decimal(Row row, int column) {
        return switch (row.form(column)) {
            case DECIMAL_NAN -> "NaN";
            case DECIMAL_POSITIVE_INFINITY -> "Infinity";
            case DECIMAL_NEGATIVE_INFINITY -> "-Infinity";
            case BIG_DECIMAL -> decimal(row.bigCoefficient(column), row.exponent(column));
            default -> decimal(BigInteger.valueOf(row.coefficient(column)), row.exponent(column));
        };
    }

    private static String decimal(BigInteger coefficient, int exponent) {
        BigDecimal number = new BigDecimal(coefficient, -exponent);
        return exponent <= 0 ? number.toPlainString() : number.toString();
    }

    private static String bytes(Row row, int column) {
        int from = row.offset(column);
        return "\\x" + HexFormat.of().formatHex(row.buffer(column), from, from + row.length(column));
    }

    static String date(long epochDay) {
        if (epochDay == DateParser.INFINITY) {
            return "infinity";
        }
        if (epochDay == DateParser.MINUS_INFINITY) {
            return "-infinity";
        }
        LocalDate date = LocalDate.ofEpochDay(epochDay);
        StringBuilder text = new StringBuilder();
        appendDate(text, date);
        return text.append(era(date)).toString();
    }

    static String time(long micros) {
        StringBuilder text = new StringBuilder();
        appendTime(text, (int) (micros / TimeParser.MICROS_PER_SECOND), (int) (micros % TimeParser.MICROS_PER_SECOND));
        return text.toString();
    }

    /** An offset from UTC: hours, and minutes and seconds if they are not 0. */
    private static String offset(int eastSeconds) {
        int seconds = Math.abs(eastSeconds);
        StringBuilder text = new StringBuilder(eastSeconds < 0 ? "-" : "+");
        appendPadded(text, seconds / 3_600, 2);
        if (seconds % 3_600 != 0) {
            appendPadded(text.append(':'), seconds / 60 % 60, 2);
        }
        if (seconds % 60 != 0) {
            appendPadded(text.append(':'), seconds % 60, 2);
        }
        return text.toString();
    }

    /** Formats a timestamp; the first and the last valid timestamps represent the infinities. */
    static String timestamp(long seconds, int nanos, String offset) {
        if (seconds == TimestampParser.INFINITY_SECONDS && nanos == TimestampParser.INFINITY_NANOS) {
            return "infinity";
        }
        if (seconds == TimestampParser.MINUS_INFINITY_SECONDS && nanos == 0) {
            return "-infinity";
        }
        LocalDate date = LocalDate.ofEpochDay(Math.floorDiv(seconds, SECONDS_PER_DAY));
        StringBuilder text = new StringBuilder();
        appendDate(text, date);
        text.append(' ');
        appendTime(text, Math.floorMod(seconds, SECONDS_PER_DAY), nanos / 1_000);
        return text.append(offset).append(era(date)).toString();
    }

    private static void appendDate(StringBuilder text, LocalDate date) {
        int year = date.getYear() > 0 ? date.getYear() : 1 - date.getYear();
        appendPadded(text, year, 4);
        appendPadded(text.append('-'), date.getMonthValue(), 2);
        appendPadded(text.append('-'), date.getDayOfMonth(), 2);
    }

    private static String era(LocalDate date) {
        return date.getYear() > 0 ? "" : BEFORE_CHRIST;
    }

    private static void appendTime(StringBuilder text, int secondOfDay, int micros) {
        appendPadded(text, secondOfDay / 3600, 2);
        appendPadded(text.append(':'), secondOfDay / 60 % 60, 2);
        appendPadded(text.append(':'), secondOfDay % 60, 2);
        if (micros != 0) {
            appendPadded(text.append('.'), micros, 6);
            while (text.charAt(text.length() - 1) == '0') {
                text.setLength(text.length() - 1);
            }
        }
    }

    private static void appendPadded(StringBuilder text, int value, int width) {
        String digits = Integer.toString(value);
        text.append("0".repeat(Math.max(0, width - digits.length()))).append(digits);
    }

    static String floating(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value) || value == 0) {
            return special(value);
        }
        BigDecimal digits = shortest(
                new BigDecimal(Double.toString(value)).precision(),
                new BigDecimal(value),
                shorter -> shorter.doubleValue() == value,
                toward -> new BigDecimal(
                        toward < 0
                                ? Math.max(Math.nextDown(value), -Double.MAX_VALUE)
                                : Math.min(Math.nextUp(value), Double.MAX_VALUE)));
        return layout(digits, DOUBLE_DIGITS);
    }

    static String floating(float value) {
        if (Float.isNaN(value) || Float.isInfinite(value) || value == 0) {
            return special(value);
        }
        BigDecimal digits = shortest(
                new BigDecimal(Float.toString(value)).precision(),
                new BigDecimal(value),
                shorter -> shorter.floatValue() == value,
                toward -> new BigDecimal(
                        toward < 0
                                ? Math.max(Math.nextDown(value), -Float.MAX_VALUE)
                                : Math.min(Math.nextUp(value), Float.MAX_VALUE)));
        return layout(digits, FLOAT_DIGITS);
    }

    private static String special(double value) {
        if (value == 0) {
            return 1 / value < 0 ? "-0" : "0";
        }
        return Double.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    }

    /**
     * The number with the fewest digits that is nearer to the exact value than to its neighbors. The JDK's text, before
     * version 19, may have a digit too many. As in PostgreSQL, a number halfway to a neighbor does not count.
     *
     * @param digits digits of the JDK's text
     * @param same whether a number is parsed to the value
     * @param neighbor the next smaller value for -1, the next larger one for 1
     */
    private static BigDecimal shortest(
            int digits, BigDecimal exact, Predicate<BigDecimal> same, IntFunction<BigDecimal> neighbor) {
        BigDecimal best = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
        for (int fewer = digits - 1; fewer > 0; fewer--) {
            BigDecimal shorter = exact.round(new MathContext(fewer, RoundingMode.HALF_EVEN));
            if (!same.test(shorter) || isHalfway(shorter, exact, neighbor)) {
                break;
            }
            best = shorter;
        }
        return best.stripTrailingZeros();
    }

    private static boolean isHalfway(BigDecimal number, BigDecimal exact, IntFunction<BigDecimal> neighbor) {
        int side = number.compareTo(exact);
        return side != 0
                && number.subtract(exact)
                                .multiply(BigDecimal.valueOf(2))
                                .compareTo(neighbor.apply(side).subtract(exact))
                        == 0;
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
