package io.sluice.model.text;

import static io.sluice.model.text.DatumProblem.Code.OUT_OF_RANGE;
import static io.sluice.model.text.DatumProblem.Code.SYNTAX;
import static io.sluice.model.text.Texts.assertProblem;
import static io.sluice.model.text.Texts.assertThrough;
import static io.sluice.model.text.Texts.decimal;
import static io.sluice.model.text.Texts.good;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.model.row.Row;
import io.sluice.model.row.Row.Form;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NumberTextTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int ROUNDS = 100_000;

    private static final ColumnType INT2 = ColumnType.of(TypeKind.INT2);
    private static final ColumnType INT4 = ColumnType.of(TypeKind.INT4);
    private static final ColumnType INT8 = ColumnType.of(TypeKind.INT8);
    private static final ColumnType FLOAT4 = ColumnType.of(TypeKind.FLOAT4);
    private static final ColumnType FLOAT8 = ColumnType.of(TypeKind.FLOAT8);
    private static final ColumnType DECIMAL = ColumnType.of(TypeKind.DECIMAL);

    @ParameterizedTest
    @CsvSource({
        "INT2, 0, 0",
        "INT2, -0, 0",
        "INT2, +7, 7",
        "INT2, 32767, 32767",
        "INT2, -32768, -32768",
        "INT4, 2147483647, 2147483647",
        "INT4, -2147483648, -2147483648",
        "INT4, 000000000000000000000000012, 12",
        "INT8, 999999999999999999, 999999999999999999",
        "INT8, 1000000000000000000, 1000000000000000000",
        "INT8, 9223372036854775807, 9223372036854775807",
        "INT8, -9223372036854775808, -9223372036854775808",
        "INT8, -0000000000000000000009223372036854775808, -9223372036854775808",
        "INT8, '  42\t', 42"
    })
    void parsesIntegers(TypeKind kind, String text, String expected) {
        assertThrough(expected, ColumnType.of(kind), text);
    }

    @ParameterizedTest
    @CsvSource({
        "INT2, 32768",
        "INT2, -32769",
        "INT4, 2147483648",
        "INT4, -2147483649",
        "INT8, 9223372036854775808",
        "INT8, -9223372036854775809",
        "INT8, 99999999999999999999",
        "INT8, 10000000000000000000000000"
    })
    void refusesIntegersOutOfRange(TypeKind kind, String text) {
        assertProblem(OUT_OF_RANGE, ColumnType.of(kind), text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "-", "+", "1.0", "1e3", "0x10", "--1", "1 2", "1_000", "99999999999999999999x", "٣"})
    void refusesInvalidIntegers(String text) {
        for (ColumnType type : List.of(INT2, INT4, INT8)) {
            assertProblem(SYNTAX, type, text);
        }
    }

    @Test
    void integersAgreeWithBigInteger() {
        Random random = new Random(SEED);
        for (int i = 0; i < ROUNDS; i++) {
            BigInteger number = new BigInteger(1 + random.nextInt(68), random);
            BigInteger signed = random.nextBoolean() ? number : number.negate();
            if (signed.bitLength() < Long.SIZE) {
                assertEquals(signed.longValue(), good(INT8, signed.toString()).longValue(1), () -> "seed " + SEED);
            } else {
                assertProblem(OUT_OF_RANGE, INT8, signed.toString());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, -0",
        "1, 1",
        "1.5, 1.5",
        "-1.50, -1.5",
        ".5, 0.5",
        "5., 5",
        "1e3, 1000",
        "1E+3, 1000",
        "1e-3, 0.001",
        "1e15, 1e+15",
        "123456789012345, 123456789012345",
        "1e-5, 1e-05",
        "0.0001, 0.0001",
        "1.7976931348623157e308, 1.7976931348623157e+308",
        "4.9e-324, 5e-324",
        "0e-400, 0",
        "-0.000e-999999999999, -0",
        "2e-3, 0.002",
        "2e23, 1.9999999999999998e+23",
        "9007199254740993, 9.007199254740992e+15",
        "0e999999999999, 0",
        "NaN, NaN",
        "nan, NaN",
        "Infinity, Infinity",
        "-INFINITY, -Infinity",
        "+inf, Infinity",
        "-Inf, -Infinity",
        "' 6.28 ', 6.28"
    })
    void parsesDoubles(String text, String expected) {
        assertThrough(expected, FLOAT8, text);
    }

    @ParameterizedTest
    @CsvSource({
        "0.1, 0.1",
        "16777217, 1.6777216e+07",
        "3.4028235e38, 3.4028235e+38",
        "-0.0, -0",
        "1e6, 1e+06",
        "999999, 999999",
        "1.4e-45, 1e-45",
        "2.5965287e15, 2.5965287e+15",
        "1.0322577e13, 1.0322577e+13",
        "95518096, 9.5518096e+07",
        "3.4028234e38, 3.4028235e+38",
        "inf, Infinity",
        "nan, NaN"
    })
    void parsesFloats(String text, String expected) {
        assertThrough(expected, FLOAT4, text);
    }

    @Test
    void refusesFloatsOutOfRange() {
        assertProblem(OUT_OF_RANGE, FLOAT8, "1.8e308");
        assertProblem(OUT_OF_RANGE, FLOAT8, "-1e999999999999999999");
        assertProblem(OUT_OF_RANGE, FLOAT4, "3.5e38");
        // Closer to zero than to the smallest number, and exactly in the middle, which rounds to zero.
        for (String text :
                List.of("1e-400", "-1e-400", "2.4703282292062327e-324", "0.1e-999999999999", "1e-100000000")) {
            assertProblem(OUT_OF_RANGE, FLOAT8, text);
            assertProblem(OUT_OF_RANGE, FLOAT4, text);
        }
        for (String text : List.of("1e-46", "-7e-46", "1e-300", "0." + "0".repeat(50) + "1")) {
            assertProblem(OUT_OF_RANGE, FLOAT4, text);
        }
        // Exactly half a unit above the largest float, which rounds to infinity.
        assertProblem(OUT_OF_RANGE, FLOAT4, "340282356779733661637539395458142568448");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", ".", "-", "e5", "1e", "1e+", "1.2.3", "0x1p3", "1f", "1d", "-nan", "infin", "1 e5", "1e5.0", "--1"
            })
    void refusesInvalidFloats(String text) {
        assertProblem(SYNTAX, FLOAT4, text);
        assertProblem(SYNTAX, FLOAT8, text);
    }

    @Test
    void floatsAgreeWithTheJdk() {
        Random random = new Random(SEED);
        for (int i = 0; i < ROUNDS; i++) {
            String text = randomNumber(random, 24, 46);
            assertEquals(
                    Double.doubleToRawLongBits(Double.parseDouble(text)),
                    Double.doubleToRawLongBits(good(FLOAT8, text).doubleValue(1)),
                    () -> "seed " + SEED + ", " + text);
            float single = Float.parseFloat(text);
            if (Float.isInfinite(single) || (single == 0 && new BigDecimal(text).signum() != 0)) {
                assertProblem(OUT_OF_RANGE, FLOAT4, text);
            } else {
                assertEquals(
                        Double.doubleToRawLongBits(Float.parseFloat(text)),
                        Double.doubleToRawLongBits(good(FLOAT4, text).doubleValue(1)),
                        () -> "seed " + SEED + ", " + text);
            }
        }
    }

    @Test
    void floatsBetweenTwoFloatsAreRoundedOnce() {
        Random random = new Random(SEED);
        for (int i = 0; i < 20_000; i++) {
            float lower = Float.intBitsToFloat(random.nextInt(0x7f7f_ffff));
            BigDecimal middle = new BigDecimal(lower)
                    .add(new BigDecimal(Math.nextUp(lower)))
                    .divide(BigDecimal.valueOf(2));
            for (int digits = 8; digits <= 17; digits++) {
                String text = middle.round(new MathContext(digits)).toString();
                if (!Float.isInfinite(Float.parseFloat(text))) {
                    assertEquals(
                            Float.parseFloat(text),
                            (float) good(FLOAT4, text).doubleValue(1),
                            () -> "seed " + SEED + ", " + text);
                }
            }
        }
    }

    @Test
    void formattedFloatsRoundTrip() {
        Random random = new Random(SEED);
        for (int i = 0; i < ROUNDS / 4; i++) {
            double value = Double.longBitsToDouble(random.nextLong());
            if (!Double.isNaN(value)) {
                String text = DatumFormatter.floating(value);
                assertEquals(value, good(FLOAT8, text).doubleValue(1), () -> "seed " + SEED + ", " + text);
            }
            float single = Float.intBitsToFloat(random.nextInt());
            if (!Float.isNaN(single)) {
                String text = DatumFormatter.floating(single);
                assertEquals(single, (float) good(FLOAT4, text).doubleValue(1), () -> "seed " + SEED + ", " + text);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0",
        "-0, 0, 0",
        "-0.00, 0, -2",
        "0.00, 0, -2",
        "0E+3, 0, 3",
        "1, 1, 0",
        "1.50, 150, -2",
        "1E+30, 1, 30",
        "-12.5, -125, -1",
        "1e2000, 1, 2000",
        "1e-2000, 1, -2000",
        ".5, 5, -1",
        "5., 5, 0",
        "00012, 12, 0",
        "999999999999999999, 999999999999999999, 0",
        "1234567890123456789, 1234567890123456789, 0",
        "-9223372036854775808, -9223372036854775808, 0",
        "12345678901234567890.5, 123456789012345678905, -1"
    })
    void decimalsWithoutPrecisionKeepTheirScale(String text, BigInteger coefficient, int exponent) {
        Row row = good(DECIMAL, text);
        assertEquals(coefficient, coefficient(row));
        assertEquals(exponent, row.exponent(1));
        assertEquals(coefficient.bitLength() < Long.SIZE ? Form.VALUE : Form.BIG_DECIMAL, row.form(1), "form");
    }

    @ParameterizedTest
    @CsvSource({
        "12, 2, 1, 1.00",
        "12, 2, -0.001, 0.00",
        "12, 2, 1.005, 1.01",
        "12, 2, -1.005, -1.01",
        "12, 2, 1.00499, 1.00",
        "12, 2, 9999999999.994, 9999999999.99",
        "12, 2, 1e9, 1000000000.00",
        "5, 0, 0.5, 1",
        "5, 0, -0.5, -1",
        "5, 0, 0.49999999999999999999999, 0",
        "5, 2, 1e-3000, 0.00",
        "5, 2, 0e3000, 0.00",
        "3, 3, 0.9994, 0.999",
        "38, 10, 1234567890123456789012345678, 1234567890123456789012345678.0000000000",
        "38, 10, 1e27, 1000000000000000000000000000.0000000000",
        "38, 0, 12345678901234567890.5, 12345678901234567891",
        "10, 2, 00000000000000000000000000000000001.23, 1.23",
        "4, 4, 0.00004999999999999999999999, 0.0000",
        "4, 2, 0.0000000000000000000000000000000001, 0.00",
        "18, 18, 0.1234567890123456785, 0.123456789012345679"
    })
    void decimalsAreRoundedToTheirScale(int precision, int scale, String text, String expected) {
        assertThrough(expected, decimal(precision, scale), text);
    }

    @ParameterizedTest
    @CsvSource({
        "12, 2, 10000000000",
        "12, 2, 9999999999.995",
        "3, 2, 9.995",
        "5, 0, 1e5",
        "5, 0, 99999.5",
        "2, 2, 1",
        "2, 2, 0.995",
        "38, 0, 999999999999999999999999999999999999999",
        "5, 2, 1e999999999999",
        "5, 2, 12345678901234567890"
    })
    void refusesTooManyIntegerDigits(int precision, int scale, String text) {
        assertProblem(OUT_OF_RANGE, decimal(precision, scale), text);
    }

    @Test
    void specialDecimals() {
        for (ColumnType type : List.of(DECIMAL, decimal(5, 2))) {
            for (String text : List.of("NaN", "nan", "-NaN")) {
                assertThrough("NaN", type, text);
            }
        }
        for (String text : List.of("inf", "+Infinity", "-INFINITY", " -inf ")) {
            assertThrough(text.contains("-") ? "-Infinity" : "Infinity", DECIMAL, text);
            assertProblem(OUT_OF_RANGE, decimal(5, 2), text);
        }
        assertProblem(OUT_OF_RANGE, DECIMAL, "1e2001");
        assertProblem(OUT_OF_RANGE, DECIMAL, "1e-2001");
        assertProblem(OUT_OF_RANGE, DECIMAL, "12345678901234567890e1982");
        assertProblem(OUT_OF_RANGE, DECIMAL, "0e99999999999999");
        assertProblem(OUT_OF_RANGE, DECIMAL, "0." + "1".repeat(20_000));
        assertThrough("0.33", decimal(5, 2), "0." + "3".repeat(16_000));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ".", "-", "e5", "1e", "1e-", "1.2.3", "0x10", "1,5", "$1", "1 000", "na", "--1", "1e5e5"})
    void refusesInvalidDecimals(String text) {
        assertProblem(SYNTAX, DECIMAL, text);
        assertProblem(SYNTAX, decimal(12, 2), text);
    }

    @Test
    void decimalsAgreeWithBigDecimal() {
        Random random = new Random(SEED);
        for (int i = 0; i < ROUNDS; i++) {
            String text = randomNumber(random, 30, 25);
            BigDecimal expected = new BigDecimal(text);

            assertEquals(expected, bigDecimal(good(DECIMAL, text)), () -> "seed " + SEED + ", " + text);

            int precision = 1 + random.nextInt(40);
            int scale = random.nextInt(precision + 1);
            BigDecimal fitted = expected.setScale(scale, RoundingMode.HALF_UP);
            if (fitted.signum() != 0 && fitted.precision() > precision) {
                assertProblem(OUT_OF_RANGE, decimal(precision, scale), text);
            } else {
                assertEquals(
                        fitted,
                        bigDecimal(good(decimal(precision, scale), text)),
                        () -> "seed " + SEED + ", " + text + " in " + precision + "," + scale);
            }
            // PostgreSQL prints all fraction digits; an exponent above 0 is kept.
            String printed = expected.scale() >= 0 ? expected.toPlainString() : expected.toString();
            assertEquals(printed, Texts.through(DECIMAL, text), () -> "seed " + SEED);
        }
    }

    private static BigInteger coefficient(Row row) {
        return row.form(1) == Form.BIG_DECIMAL ? row.bigCoefficient(1) : BigInteger.valueOf(row.coefficient(1));
    }

    private static BigDecimal bigDecimal(Row row) {
        return new BigDecimal(coefficient(row), -row.exponent(1));
    }

    /** A random number in any notation: at most {@code maxDigits} digits, and in half of the cases an exponent. */
    private static String randomNumber(Random random, int maxDigits, int maxExponent) {
        StringBuilder text = new StringBuilder();
        switch (random.nextInt(4)) {
            case 0 -> text.append('-');
            case 1 -> text.append('+');
            default -> {}
        }
        int digits = 1 + random.nextInt(maxDigits);
        int point = random.nextInt(2 * digits + 1);
        for (int i = 0; i < digits; i++) {
            if (i == point) {
                text.append('.');
            }
            text.append((char) ('0' + (random.nextInt(3) == 0 ? 0 : random.nextInt(10))));
        }
        if (point == digits) {
            text.append('.');
        }
        if (random.nextBoolean()) {
            text.append(random.nextBoolean() ? 'e' : 'E').append(random.nextInt(2 * maxExponent + 1) - maxExponent);
        }
        return text.toString();
    }
}
