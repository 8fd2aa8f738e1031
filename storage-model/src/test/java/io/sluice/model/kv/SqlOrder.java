package io.sluice.model.kv;

import io.sluice.model.row.Row;
import io.sluice.model.schema.TypeKind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;

/** The SQL order of datums, independent of the encoding: NULL first, then NaN, then the order of numbers and texts. */
final class SqlOrder {
    private SqlOrder() {}

    static int compare(TypeKind kind, Row left, Row right, int column) {
        if (left.isNull(column) || right.isNull(column)) {
            return Boolean.compare(!left.isNull(column), !right.isNull(column));
        }
        return switch (kind) {
            case BOOL, INT2, INT4, INT8, DATE, TIME -> Long.compare(left.longValue(column), right.longValue(column));
            case FLOAT4, FLOAT8 -> compareReals(left.doubleValue(column), right.doubleValue(column));
            case DECIMAL -> compareDecimals(left, right, column);
            case STRING, BYTES, INET, BIT -> Arrays.compareUnsigned(bytes(left, column), bytes(right, column));
            case TIMESTAMP, TIMESTAMPTZ -> {
                int bySeconds = Long.compare(left.seconds(column), right.seconds(column));
                yield bySeconds != 0 ? bySeconds : Integer.compare(left.nanos(column), right.nanos(column));
            }
            case TIMETZ -> {
                long leftUtc = left.longValue(column) + left.westSeconds(column) * 1_000_000L;
                long rightUtc = right.longValue(column) + right.westSeconds(column) * 1_000_000L;
                yield leftUtc != rightUtc
                        ? Long.compare(leftUtc, rightUtc)
                        : Integer.compare(left.westSeconds(column), right.westSeconds(column));
            }
            case INTERVAL -> {
                int byLength = Long.compare(nanos(left, column), nanos(right, column));
                int byMonths = byLength != 0 ? byLength : Integer.compare(left.months(column), right.months(column));
                yield byMonths != 0 ? byMonths : Integer.compare(left.days(column), right.days(column));
            }
            case JSON, ARRAY -> throw new IllegalArgumentException("no keys of " + kind);
            case UUID -> {
                int byMost = Long.compareUnsigned(left.uuidMost(column), right.uuidMost(column));
                yield byMost != 0 ? byMost : Long.compareUnsigned(left.uuidLeast(column), right.uuidLeast(column));
            }
        };
    }

    private static long nanos(Row row, int column) {
        return (row.months(column) * 30L + row.days(column)) * 86_400_000_000_000L + row.intervalNanos(column);
    }

    private static int compareReals(double left, double right) {
        if (Double.isNaN(left) || Double.isNaN(right)) {
            return Boolean.compare(!Double.isNaN(left), !Double.isNaN(right));
        }
        return left < right ? -1 : left > right ? 1 : 0;
    }

    private static int compareDecimals(Row left, Row right, int column) {
        int byRank = Integer.compare(rank(left.form(column)), rank(right.form(column)));
        boolean bothFinite = byRank == 0 && rank(left.form(column)) == 2;
        return bothFinite ? decimal(left, column).compareTo(decimal(right, column)) : byRank;
    }

    private static int rank(Row.Form form) {
        return switch (form) {
            case DECIMAL_NAN -> 0;
            case DECIMAL_NEGATIVE_INFINITY -> 1;
            case VALUE, BIG_DECIMAL -> 2;
            case DECIMAL_POSITIVE_INFINITY -> 3;
            case NULL -> throw new IllegalArgumentException("NULL");
        };
    }

    private static BigDecimal decimal(Row row, int column) {
        BigInteger coefficient = row.form(column) == Row.Form.BIG_DECIMAL
                ? row.bigCoefficient(column)
                : BigInteger.valueOf(row.coefficient(column));
        return new BigDecimal(coefficient, -row.exponent(column));
    }

    static byte[] bytes(Row row, int column) {
        return Arrays.copyOfRange(row.buffer(column), row.offset(column), row.offset(column) + row.length(column));
    }
}
