package io.sluice.model.kv;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.model.row.Row;
import io.sluice.model.schema.TypeKind;

/** Asserts that two datums are identical in every bit: 1.0 is not 1.00, and 0 is not -0. */
final class SameDatum {
    private SameDatum() {}

    static void check(TypeKind kind, Row expected, Row actual, int column, String what) {
        assertEquals(expected.form(column), actual.form(column), what);
        if (expected.isNull(column)) {
            return;
        }
        switch (kind) {
            case BOOL, INT2, INT4, INT8, DATE, TIME ->
                assertEquals(expected.longValue(column), actual.longValue(column), what);
            // doubleToLongBits has a single NaN, because the encoding does not keep NaN bits.
            case FLOAT4, FLOAT8 ->
                assertEquals(
                        Double.doubleToLongBits(expected.doubleValue(column)),
                        Double.doubleToLongBits(actual.doubleValue(column)),
                        what);
            case DECIMAL -> checkDecimal(expected, actual, column, what);
            case STRING, BYTES, INET, BIT, JSON, ARRAY ->
                assertArrayEquals(SqlOrder.bytes(expected, column), SqlOrder.bytes(actual, column), what);
            case TIMESTAMP, TIMESTAMPTZ -> {
                assertEquals(expected.seconds(column), actual.seconds(column), what);
                assertEquals(expected.nanos(column), actual.nanos(column), what);
            }
            case TIMETZ -> {
                assertEquals(expected.longValue(column), actual.longValue(column), what);
                assertEquals(expected.westSeconds(column), actual.westSeconds(column), what);
            }
            case INTERVAL -> {
                assertEquals(expected.months(column), actual.months(column), what);
                assertEquals(expected.days(column), actual.days(column), what);
                assertEquals(expected.intervalNanos(column), actual.intervalNanos(column), what);
            }
            case UUID -> {
                assertEquals(expected.uuidMost(column), actual.uuidMost(column), what);
                assertEquals(expected.uuidLeast(column), actual.uuidLeast(column), what);
            }
        }
    }

    private static void checkDecimal(Row expected, Row actual, int column, String what) {
        switch (expected.form(column)) {
            case VALUE -> {
                assertEquals(expected.coefficient(column), actual.coefficient(column), what);
                assertEquals(expected.exponent(column), actual.exponent(column), what);
            }
            case BIG_DECIMAL -> {
                assertEquals(expected.bigCoefficient(column), actual.bigCoefficient(column), what);
                assertEquals(expected.exponent(column), actual.exponent(column), what);
            }
            default -> {} // the form is the value
        }
    }
}
