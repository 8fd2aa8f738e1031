package io.sluice.sql.query;

import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;

/** Conversions between types, as CAST does them in PostgreSQL. */
final class Casts {
    private static final int SECONDS_PER_DAY = 86_400;
    private static final int NANOS_PER_MICRO = 1_000;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long MICROS_PER_DAY = SECONDS_PER_DAY * MICROS_PER_SECOND;
    /** Digits that every FLOAT8 and FLOAT4 keeps; a DECIMAL gets no more of them. */
    private static final MathContext FLOAT8_DIGITS = new MathContext(15, RoundingMode.HALF_EVEN);

    private static final MathContext FLOAT4_DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);

    /** A bit takes 1 byte of memory, so that each row takes 1 MiB at most, whatever length a statement asks for. */
    private static final int MOST_PADDED_BITS = 1 << 20;

    private static final ColumnType BOOL = ColumnType.of(TypeKind.BOOL);
    private static final ColumnType BYTES = ColumnType.of(TypeKind.BYTES);
    private static final ColumnType BIT = ColumnType.of(TypeKind.BIT);
    private static final ColumnType DECIMAL = ColumnType.of(TypeKind.DECIMAL);
    private static final ColumnType DATE = ColumnType.of(TypeKind.DATE);
    private static final ColumnType TIME = ColumnType.of(TypeKind.TIME);
    private static final ColumnType TIMESTAMP = ColumnType.of(TypeKind.TIMESTAMP);
    /** The values that stand for the infinities. */
    private static final long LAST_DATE = (Long) Datums.parse("infinity", DATE);

    private static final long FIRST_DATE = (Long) Datums.parse("-infinity", DATE);
    private static final Instant LAST_TIME = (Instant) Datums.parse("infinity", TIMESTAMP);
    private static final Instant FIRST_TIME = (Instant) Datums.parse("-infinity", TIMESTAMP);

    private Casts() {}

    /**
     * Converts a value.
     *
     * @throws StatementException if the type has no such value
     */
    static Object of(Object value, ColumnType from, ColumnType to) {
        return switch (to.kind()) {
            case STRING -> string(text(value, from), to);
            case BOOL -> bool(value, from, to);
            case INT2, INT4, INT8 -> ranged(whole(value, from, to), to);
            case FLOAT4, FLOAT8 -> floating(value, from, to);
            case DECIMAL -> limited(decimal(value, from, to), to);
            case DATE -> value instanceof Instant time ? date(time) : same(value, from, to);
            case TIMESTAMP, TIMESTAMPTZ ->
                from.kind() == TypeKind.DATE
                        ? midnight((Long) value, to)
                        : value instanceof Instant ? rounded(value, to) : same(value, from, to);
            case TIME -> rounded(timeOfDay(value, from, to), to);
            case TIMETZ ->
                from.kind() == TypeKind.TIME || from.kind() == TypeKind.TIMESTAMPTZ
                        ? Datums.parse(text(timeOfDay(value, from, to), TIME), to)
                        : same(value, from, to);
            case INTERVAL -> from.kind() == TypeKind.TIME ? Datums.parse(text(value, from), to) : same(value, from, to);
            case ARRAY -> array(value, from, to);
            case BYTES -> bytes((byte[]) same(value, from, BYTES), to);
            case BIT -> bits((String) same(value, from, BIT), to);
            default -> same(value, from, to);
        };
    }

    /** The value as one of the target's kind, which it has already or which its text describes. */
    private static Object same(Object value, ColumnType from, ColumnType to) {
        boolean sameKind = from.kind() == to.kind();
        // A document or a number in a text is a value of its own type, so its text means nothing to another one.
        if (from.kind() == TypeKind.STRING || (sameKind && (value instanceof String || value instanceof Composite))) {
            return Datums.parse(text(value, from), to);
        }
        if (sameKind) {
            return value;
        }
        throw refused(from, to);
    }

    /** An array of the same elements, or the one in a text. Elements are not converted one by one. */
    private static Object array(Object value, ColumnType from, ColumnType to) {
        boolean elements = from.kind() == TypeKind.ARRAY
                && from.elementType().kind() != to.elementType().kind();
        if (elements && !(isInteger(from.elementType()) && isInteger(to.elementType()))) {
            throw refused(from, to);
        }
        return same(value, from, to);
    }

    private static StatementException refused(ColumnType from, ColumnType to) {
        return new StatementException(
                SqlErrorCode.UNSUPPORTED,
                from.sql() + " cannot be converted to " + to.sql() + "; CAST(… AS STRING) gives its text");
    }

    private static String text(Object value, ColumnType type) {
        return Objects.requireNonNull(Datums.text(value, type));
    }

    /** The number in a document; a document of another kind is refused, as by PostgreSQL. */
    private static BigDecimal number(Composite document, ColumnType to) {
        String text = document.text();
        char first = text.charAt(0);
        if (first != '-' && (first < '0' || first > '9')) {
            throw new StatementException(
                    SqlErrorCode.BAD_VALUE, "a JSONB that is no number cannot be converted to " + to.sql());
        }
        return (BigDecimal) Datums.parse(text, DECIMAL);
    }

    /** Microseconds since midnight. Infinite timestamps have no time of day. */
    private static Object timeOfDay(Object value, ColumnType from, ColumnType to) {
        if (value instanceof Instant time) {
            if (time.equals(LAST_TIME) || time.equals(FIRST_TIME)) {
                throw Numbers.outOfRange(to.sql(), text(value, from));
            }
            long second = Math.floorMod(time.getEpochSecond(), (long) SECONDS_PER_DAY);
            return second * MICROS_PER_SECOND + time.getNano() / NANOS_PER_MICRO;
        }
        return switch (from.kind()) {
            case TIMETZ -> Datums.row((String) value, from).longValue(0);
            // Days and months count no hours, and a negative interval counts back from midnight.
            case INTERVAL ->
                Math.floorMod(
                        Math.floorDiv(Datums.row((String) value, from).intervalNanos(0), (long) NANOS_PER_MICRO),
                        MICROS_PER_DAY);
            case TIME -> value;
            default -> same(value, from, to);
        };
    }

    private static String string(String text, ColumnType to) {
        if (!to.labels().isEmpty()) {
            return (String) Datums.parse(text, to);
        }
        int length = text.codePointCount(0, text.length());
        return to.maxLength() == 0 || length <= to.maxLength()
                ? text
                : text.substring(0, text.offsetByCodePoints(0, to.maxLength()));
    }

    /** Rounds a time to the fraction digits of its type, as its parser does. */
    private static Object rounded(Object value, ColumnType to) {
        return to.precision() < ColumnType.DEFAULT_TIME_PRECISION ? Datums.parse(text(value, to), to) : value;
    }

    private static byte[] bytes(byte[] value, ColumnType to) {
        return to.maxLength() == 0 || value.length <= to.maxLength() ? value : Arrays.copyOf(value, to.maxLength());
    }

    /** Cuts bits to the length of their type. A BIT(n) gets zeros on the right. */
    private static String bits(String value, ColumnType to) {
        int length = to.maxLength() == 0 ? value.length() : to.maxLength();
        if (to.hasFixedLength() && length > Math.max(MOST_PADDED_BITS, value.length())) {
            throw new StatementException(
                    SqlErrorCode.BAD_VALUE,
                    "a cast to " + to.sql() + " appends zeros up to " + MOST_PADDED_BITS + " bits only");
        }
        String zeros = to.hasFixedLength() ? "0".repeat(Math.max(0, length - value.length())) : "";
        return value.substring(0, Math.min(length, value.length())) + zeros;
    }

    private static Object bool(Object value, ColumnType from, ColumnType to) {
        if (value instanceof Composite document && from.kind() == TypeKind.JSON) {
            String text = document.text();
            if (!text.equals("true") && !text.equals("false")) {
                throw new StatementException(
                        SqlErrorCode.BAD_VALUE, "a JSONB that is neither true nor false cannot be converted to BOOL");
            }
            return Datums.parse(text, BOOL);
        }
        return value instanceof Long number && isInteger(from) ? (Object) (number != 0) : same(value, from, to);
    }

    private static boolean isInteger(ColumnType type) {
        return type.kind() == TypeKind.INT2 || type.kind() == TypeKind.INT4 || type.kind() == TypeKind.INT8;
    }

    private static long whole(Object value, ColumnType from, ColumnType to) {
        if (value instanceof Boolean truth) {
            return truth ? 1 : 0;
        }
        if (from.kind() == TypeKind.BIT) {
            String bits = (String) value;
            if (bits.length() > Long.SIZE) {
                throw Numbers.outOfRange(to.sql(), bits);
            }
            return bits.isEmpty() ? 0 : Long.parseUnsignedLong(bits, 2);
        }
        if (value instanceof Composite document && from.kind() == TypeKind.JSON) {
            return Numbers.toLong(number(document, to));
        }
        if (value instanceof BigDecimal number) {
            return Numbers.toLong(number);
        }
        if (value instanceof Double number) {
            if (!(number >= -0x1p63 && number < 0x1p63)) {
                throw Numbers.outOfRange(to.sql(), text(value, from));
            }
            return (long) Math.rint(number);
        }
        if (value instanceof Long number && isInteger(from)) {
            return number;
        }
        return (Long) same(value, from, to);
    }

    private static long ranged(long number, ColumnType to) {
        if (number < to.minInt() || number > to.maxInt()) {
            throw Numbers.outOfRange(to.sql(), Long.toString(number));
        }
        return number;
    }

    private static Object floating(Object value, ColumnType from, ColumnType to) {
        boolean narrow = to.kind() == TypeKind.FLOAT4;
        Object number =
                value instanceof Composite document && from.kind() == TypeKind.JSON ? number(document, to) : value;
        // Rounded once: a double between would round some numbers twice.
        double result;
        if (number instanceof BigDecimal decimal) {
            result = narrow ? decimal.floatValue() : decimal.doubleValue();
        } else if (number instanceof Long whole && isInteger(from)) {
            result = narrow ? (float) (long) whole : (double) whole;
        } else {
            double wide = (Double) (number instanceof Double ? number : same(number, from, to));
            result = narrow ? (float) wide : wide;
        }
        boolean special = number instanceof Double given && (Double.isInfinite(given) || given == 0);
        boolean zero = number instanceof BigDecimal decimal && decimal.signum() == 0;
        boolean lost = Double.isInfinite(result) || (result == 0 && !(number instanceof Long));
        if (lost && !special && !zero && !(number instanceof String)) {
            throw Numbers.outOfRange(to.sql(), text(value, from));
        }
        return result;
    }

    private static Object decimal(Object value, ColumnType from, ColumnType to) {
        if (value instanceof Long number && isInteger(from)) {
            return BigDecimal.valueOf(number);
        }
        if (value instanceof Composite document && from.kind() == TypeKind.JSON) {
            return number(document, to);
        }
        if (value instanceof Double number && from.kind() != TypeKind.DECIMAL && Double.isFinite(number)) {
            BigDecimal rounded =
                    new BigDecimal(number).round(from.kind() == TypeKind.FLOAT4 ? FLOAT4_DIGITS : FLOAT8_DIGITS);
            BigDecimal stripped = rounded.signum() == 0 ? BigDecimal.ZERO : rounded.stripTrailingZeros();
            return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
        }
        return value instanceof Double || value instanceof BigDecimal ? value : same(value, from, to);
    }

    private static Object limited(Object value, ColumnType to) {
        if (to.precision() > 0 && value instanceof Double special && Double.isInfinite(special)) {
            throw Numbers.outOfRange(to.sql(), text(value, DECIMAL));
        }
        if (to.precision() == 0 || !(value instanceof BigDecimal number)) {
            return value;
        }
        BigDecimal rounded = number.setScale(to.scale(), RoundingMode.HALF_UP);
        if (rounded.signum() != 0 && rounded.precision() > to.precision()) {
            throw Numbers.outOfRange(to.sql(), number.toString());
        }
        return rounded;
    }

    private static long date(Instant time) {
        if (time.equals(LAST_TIME)) {
            return LAST_DATE;
        }
        return time.equals(FIRST_TIME) ? FIRST_DATE : Math.floorDiv(time.getEpochSecond(), (long) SECONDS_PER_DAY);
    }

    private static Instant midnight(long date, ColumnType to) {
        if (date == LAST_DATE || date == FIRST_DATE) {
            return date == LAST_DATE ? LAST_TIME : FIRST_TIME;
        }
        // DATE ends later than the timestamps do.
        if (date > LAST_TIME.getEpochSecond() / SECONDS_PER_DAY) {
            throw Numbers.outOfRange(to.sql(), text(date, DATE));
        }
        return Instant.ofEpochSecond(date * SECONDS_PER_DAY);
    }
}
