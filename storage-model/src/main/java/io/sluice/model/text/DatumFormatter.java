package io.sluice.model.text;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Formats datums as PostgreSQL does. The parser of the same type parses every text to the same datum.
 *
 * <p>Two choices among PostgreSQL's forms: BOOL is spelled out (true, false) as its cast to text does, and a DECIMAL
 * whose exponent is not a plain count of fraction digits is printed with it (1E+30), because stored decimals keep it.
 */
public final class DatumFormatter {
    private DatumFormatter() {}

    /** Formats the datum in a row's slot; null for NULL. The slot must have been set with this type. */
    public static @Nullable String format(Row row, int column, ColumnType type) {
        if (row.isNull(column)) {
            return null;
        }
        return switch (type.kind()) {
            case BOOL -> row.longValue(column) == 0 ? "false" : "true";
            case INT2, INT4, INT8 -> Long.toString(row.longValue(column));
            case FLOAT4 -> FloatText.of((float) row.doubleValue(column));
            case FLOAT8 -> FloatText.of(row.doubleValue(column));
            case DECIMAL -> decimal(row, column);
            case STRING ->
                new String(row.buffer(column), row.offset(column), row.length(column), StandardCharsets.UTF_8);
            case BYTES -> bytes(row, column);
            case DATE -> TemporalText.date(row.longValue(column));
            case TIME -> TemporalText.time(row.longValue(column));
            case TIMESTAMP -> TemporalText.timestamp(row.seconds(column), row.nanos(column), "");
            case TIMESTAMPTZ -> TemporalText.timestamp(row.seconds(column), row.nanos(column), "+00");
            case UUID -> new UUID(row.uuidMost(column), row.uuidLeast(column)).toString();
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
        return new BigDecimal(coefficient, -exponent).toString();
    }

    private static String bytes(Row row, int column) {
        int from = row.offset(column);
        return "\\x" + HexFormat.of().formatHex(row.buffer(column), from, from + row.length(column));
    }
}
