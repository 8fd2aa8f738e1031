package io.sluice.sql.query;

import io.sluice.grammar.Literals;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumFormatter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Converts datums between slots of rows, texts and objects, and compares them. */
public final class Datums {
    /** An object with a header and a number. */
    private static final int OBJECT_BYTES = 24;

    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long NANOS_PER_DAY = 86_400_000_000_000L;
    private static final int DAYS_PER_MONTH = 30;

    private Datums() {}

    /** Reads a slot of a row. */
    static @Nullable Object of(Row row, int column, ColumnType type) {
        if (row.isNull(column)) {
            return null;
        }
        return switch (type.kind()) {
            case BOOL -> row.longValue(column) != 0;
            case INT2, INT4, INT8, DATE, TIME -> row.longValue(column);
            case FLOAT4, FLOAT8 -> row.doubleValue(column);
            case DECIMAL -> decimal(row, column, type);
            case STRING ->
                new String(row.buffer(column), row.offset(column), row.length(column), StandardCharsets.UTF_8);
            case BYTES ->
                Arrays.copyOfRange(row.buffer(column), row.offset(column), row.offset(column) + row.length(column));
            case TIMESTAMP, TIMESTAMPTZ -> Instant.ofEpochSecond(row.seconds(column), row.nanos(column));
            case UUID -> new UUID(row.uuidMost(column), row.uuidLeast(column));
            // Texts are normal forms of their values, so equal texts are equal values.
            case TIMETZ, INTERVAL, INET, BIT -> Objects.requireNonNull(DatumFormatter.format(row, column, type));
            case JSON, ARRAY -> Composite.of(Objects.requireNonNull(DatumFormatter.format(row, column, type)), type);
        };
    }

    /** A declared scale is kept in the number, because a key does not keep trailing zeros. */
    private static Object decimal(Row row, int column, ColumnType type) {
        BigDecimal number;
        switch (row.form(column)) {
            case DECIMAL_NAN -> {
                return Double.NaN;
            }
            case DECIMAL_POSITIVE_INFINITY -> {
                return Double.POSITIVE_INFINITY;
            }
            case DECIMAL_NEGATIVE_INFINITY -> {
                return Double.NEGATIVE_INFINITY;
            }
            case BIG_DECIMAL -> number = new BigDecimal(row.bigCoefficient(column), -row.exponent(column));
            default -> number = BigDecimal.valueOf(row.coefficient(column), -row.exponent(column));
        }
        return type.precision() > 0 && number.scale() < type.scale() ? number.setScale(type.scale()) : number;
    }

    /** Writes a value to a slot of a row. */
    private static void put(Row row, int column, ColumnType type, Object value) {
        switch (type.kind()) {
            case BOOL -> row.setLong(column, (Boolean) value ? 1 : 0);
            case INT2, INT4, INT8, DATE, TIME -> row.setLong(column, (Long) value);
            case FLOAT4, FLOAT8 -> row.setDouble(column, (Double) value);
            case DECIMAL -> putDecimal(row, column, value);
            case STRING -> {
                byte[] bytes = ((String) value).getBytes(StandardCharsets.UTF_8);
                row.setBytes(column, bytes, 0, bytes.length);
            }
            case BYTES -> row.setBytes(column, (byte[]) value, 0, ((byte[]) value).length);
            case TIMESTAMP, TIMESTAMPTZ -> {
                Instant time = (Instant) value;
                row.setTimestamp(column, time.getEpochSecond(), time.getNano());
            }
            case UUID ->
                row.setUuid(column, ((UUID) value).getMostSignificantBits(), ((UUID) value).getLeastSignificantBits());
            case TIMETZ, INTERVAL, INET, BIT -> Literals.put(type, (String) value, row, column, "of an expression");
            case JSON, ARRAY -> Literals.put(type, ((Composite) value).text(), row, column, "of an expression");
        }
    }

    private static void putDecimal(Row row, int column, Object value) {
        if (value instanceof BigDecimal number) {
            row.setBigDecimal(column, number.unscaledValue(), -number.scale());
        } else {
            double special = (Double) value;
            row.setSpecialDecimal(
                    column,
                    Double.isNaN(special)
                            ? Row.Form.DECIMAL_NAN
                            : special > 0 ? Row.Form.DECIMAL_POSITIVE_INFINITY : Row.Form.DECIMAL_NEGATIVE_INFINITY);
        }
    }

    /**
     * Parses a text.
     *
     * @throws io.sluice.grammar.StatementException if it is no value of the type
     */
    static Object parse(String text, ColumnType type) {
        return Objects.requireNonNull(of(row(text, type), 0, type));
    }

    /**
     * Parses a text into the only slot of a row.
     *
     * @throws io.sluice.grammar.StatementException if it is no value of the type
     */
    static Row row(String text, ColumnType type) {
        Row row = new Row(1);
        Literals.put(type, text, row, 0, "of an expression");
        return row;
    }

    /** Formats a value as text; null for NULL. */
    static @Nullable String text(@Nullable Object value, ColumnType type) {
        if (value == null || value instanceof String) {
            return (String) value;
        }
        if (value instanceof Composite composite) {
            return composite.text();
        }
        if (value instanceof BigDecimal number && number.scale() >= 0) {
            return number.toPlainString();
        }
        Row row = new Row(1);
        put(row, 0, type, value);
        return DatumFormatter.format(row, 0, type);
    }

    /** Compares two values of one kind as their keys are ordered: NaN is the first number, and texts are bytes. */
    static int compare(TypeKind kind, Object left, Object right) {
        return switch (kind) {
            case BOOL -> Boolean.compare((Boolean) left, (Boolean) right);
            case INT2, INT4, INT8, DATE, TIME -> Long.compare((Long) left, (Long) right);
            case FLOAT4, FLOAT8 -> compareDoubles((Double) left, (Double) right);
            case DECIMAL -> compareDecimals(left, right);
            case STRING -> compareTexts((String) left, (String) right);
            case BYTES -> Arrays.compareUnsigned((byte[]) left, (byte[]) right);
            case TIMESTAMP, TIMESTAMPTZ -> ((Instant) left).compareTo((Instant) right);
            case UUID -> compareUuids((UUID) left, (UUID) right);
            case BIT -> compareTexts((String) left, (String) right);
            case TIMETZ, INTERVAL, INET -> compareParsed(kind, (String) left, (String) right);
            case JSON, ARRAY ->
                throw new StatementException(
                        SqlErrorCode.UNSUPPORTED,
                        "values of type " + (kind == TypeKind.JSON ? "JSONB" : kind) + " have no order; use texts"
                                + " with CAST(... AS STRING)");
        };
    }

    /** Whether two values of one kind are equal. */
    static boolean equal(TypeKind kind, Object left, Object right) {
        return (left instanceof Composite one && right instanceof Composite other)
                ? one.canonical().equals(other.canonical())
                : compare(kind, left, right) == 0;
    }

    private static int compareParsed(TypeKind kind, String left, String right) {
        Row row = new Row(2);
        put(row, 0, ColumnType.of(kind), left);
        put(row, 1, ColumnType.of(kind), right);
        return switch (kind) {
            case TIMETZ -> Arrays.compare(timetz(row, 0), timetz(row, 1));
            case INTERVAL -> Arrays.compare(interval(row, 0), interval(row, 1));
            default ->
                Arrays.compareUnsigned(
                        row.buffer(0),
                        row.offset(0),
                        row.offset(0) + row.length(0),
                        row.buffer(1),
                        row.offset(1),
                        row.offset(1) + row.length(1));
        };
    }

    /** The numbers by which a TIMETZ is ordered. */
    private static long[] timetz(Row row, int column) {
        return new long[] {row.longValue(column) + row.westSeconds(column) * MICROS_PER_SECOND, row.westSeconds(column)
        };
    }

    /** The numbers by which an INTERVAL is ordered. */
    private static long[] interval(Row row, int column) {
        long days = (long) row.months(column) * DAYS_PER_MONTH + row.days(column);
        return new long[] {days * NANOS_PER_DAY + row.intervalNanos(column), row.months(column), row.days(column)};
    }

    private static int compareDoubles(double left, double right) {
        if (Double.isNaN(left) || Double.isNaN(right)) {
            return Boolean.compare(Double.isNaN(right), Double.isNaN(left));
        }
        return left < right ? -1 : left > right ? 1 : 0;
    }

    private static int compareDecimals(Object left, Object right) {
        if (left instanceof BigDecimal number && right instanceof BigDecimal other) {
            return number.compareTo(other);
        }
        // A number that is not special lies between the infinities, as 0 does.
        return compareDoubles(special(left), special(right));
    }

    private static double special(Object value) {
        return value instanceof Double special ? special : 0;
    }

    /** Compares texts by code points, which is the order of their UTF-8 bytes. */
    static int compareTexts(String left, String right) {
        int length = Math.min(left.length(), right.length());
        for (int i = 0; i < length; i++) {
            char a = left.charAt(i);
            char b = right.charAt(i);
            if (a != b) {
                boolean surrogates = Character.isSurrogate(a) != Character.isSurrogate(b);
                // A surrogate is half of a character above all others.
                return surrogates ? (Character.isSurrogate(a) ? 1 : -1) : Character.compare(a, b);
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    private static int compareUuids(UUID left, UUID right) {
        int most = Long.compareUnsigned(left.getMostSignificantBits(), right.getMostSignificantBits());
        return most != 0 ? most : Long.compareUnsigned(left.getLeastSignificantBits(), right.getLeastSignificantBits());
    }

    /** Returns an object that is equal for equal values; null for NULL. */
    static @Nullable Object key(@Nullable Object value) {
        if (value instanceof BigDecimal number) {
            return number.signum() == 0 ? BigInteger.ZERO : number.stripTrailingZeros();
        }
        if (value instanceof Double number) {
            return number == 0 ? 0.0 : number;
        }
        if (value instanceof Composite composite) {
            return composite.canonical();
        }
        return value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : value;
    }

    /** Estimated memory of a value in bytes. */
    static long bytes(@Nullable Object value) {
        if (value == null) {
            return 0;
        }
        if (value instanceof String text) {
            return 2L * OBJECT_BYTES + text.length();
        }
        if (value instanceof Composite composite) {
            return OBJECT_BYTES + bytes(composite.text());
        }
        if (value instanceof byte[] bytes) {
            return OBJECT_BYTES + (long) bytes.length;
        }
        return value instanceof BigDecimal number ? 3L * OBJECT_BYTES + (long) number.precision() / 2 : OBJECT_BYTES;
    }
}
