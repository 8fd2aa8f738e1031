package io.sluice.model.kv;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TypeKind;
import java.math.BigInteger;
import java.util.Random;
import java.util.SplittableRandom;

/** Random datums of every type: many edge cases, numbers of every length, and few enough others for ties. */
final class RandomDatums {
    private static final int MAX_BYTES = 40;
    private static final int MAX_EXPONENT = 2000;

    private RandomDatums() {}

    static void fill(Table table, Row row, SplittableRandom random) {
        row.clear();
        for (int i = 0; i < table.def().columns().size(); i++) {
            Column column = table.def().columns().get(i);
            if (column.nullable() && random.nextInt(5) == 0) {
                row.setNull(i);
            } else {
                set(column.type().kind(), row, i, random);
            }
        }
    }

    static void set(TypeKind kind, Row row, int column, SplittableRandom random) {
        switch (kind) {
            case BOOL -> row.setLong(column, random.nextInt(2));
            case INT2, INT4, INT8, TIME, DATE -> row.setLong(column, integer(random));
            case FLOAT4, FLOAT8 -> row.setDouble(column, real(random));
            case DECIMAL -> setDecimal(row, column, random);
            case STRING, BYTES, JSON, ARRAY -> {
                byte[] bytes = bytes(random);
                int offset = random.nextInt(3);
                byte[] buffer = new byte[offset + bytes.length + 2];
                System.arraycopy(bytes, 0, buffer, offset, bytes.length);
                row.setBytes(column, buffer, offset, bytes.length);
            }
            case TIMESTAMP, TIMESTAMPTZ ->
                row.setTimestamp(column, integer(random), random.nextInt(3) == 0 ? 0 : random.nextInt(1_000_000_000));
            case UUID -> row.setUuid(column, word(random), word(random));
            case TIMETZ ->
                row.setTimetz(column, random.nextLong(86_400_000_001L), random.nextInt(-57_599, 57_600) / 900 * 900);
            case INTERVAL ->
                row.setInterval(
                        column,
                        random.nextInt(-1_500, 1_500) / (1 + random.nextInt(1_500)),
                        random.nextInt(-40_000, 40_000) / (1 + random.nextInt(40_000)),
                        integer(random) % 1_000_000_000_000_000L * 1_000);
            case INET -> {
                byte[] address = new byte[random.nextBoolean() ? 6 : 18];
                for (int i = 2; i < address.length; i++) {
                    address[i] = awkward(random);
                }
                address[0] = (byte) (address.length == 6 ? 0 : 1);
                address[1] = (byte) random.nextInt(8 * (address.length - 2) + 1);
                row.setBytes(column, address, 0, address.length);
            }
            case BIT -> {
                byte[] digits = new byte[random.nextInt(4) == 0 ? 64 * random.nextInt(4) : random.nextInt(140)];
                boolean few = random.nextBoolean();
                for (int i = 0; i < digits.length; i++) {
                    digits[i] = (byte) ('0' + (few && i > 0 ? digits[i - 1] - '0' : random.nextInt(2)));
                }
                row.setBytes(column, digits, 0, digits.length);
            }
        }
    }

    private static long integer(SplittableRandom random) {
        long value = random.nextLong() >>> random.nextInt(Long.SIZE);
        return switch (random.nextInt(10)) {
            case 0 -> Long.MAX_VALUE - random.nextInt(2);
            case 1 -> Long.MIN_VALUE + random.nextInt(2);
            // Around the ends of every byte length, and of the one-byte form.
            case 2 -> (1L << (8 * random.nextInt(8))) + random.nextInt(-2, 3);
            case 3 -> -(1L << (8 * random.nextInt(8))) + random.nextInt(-2, 3);
            case 4 -> random.nextInt(105, 115);
            case 5 -> -random.nextInt(105, 115);
            case 6 -> random.nextInt(-3, 4);
            case 7 -> -value;
            default -> value;
        };
    }

    private static double real(SplittableRandom random) {
        return switch (random.nextInt(10)) {
            case 0 -> 0.0;
            case 1 -> -0.0;
            case 2 -> Double.NaN;
            case 3 -> Double.POSITIVE_INFINITY;
            case 4 -> Double.NEGATIVE_INFINITY;
            case 5 -> Double.MIN_VALUE;
            case 6 -> -Double.MAX_VALUE;
            case 7 -> random.nextInt(-3, 4);
            default -> Double.longBitsToDouble(random.nextLong());
        };
    }

    private static void setDecimal(Row row, int column, SplittableRandom random) {
        int exponent = random.nextBoolean() ? random.nextInt(-5, 6) : random.nextInt(-MAX_EXPONENT, MAX_EXPONENT + 1);
        switch (random.nextInt(12)) {
            case 0 -> row.setSpecialDecimal(column, Row.Form.DECIMAL_NAN);
            case 1 -> row.setSpecialDecimal(column, Row.Form.DECIMAL_POSITIVE_INFINITY);
            case 2 -> row.setSpecialDecimal(column, Row.Form.DECIMAL_NEGATIVE_INFINITY);
            case 3 -> row.setDecimal(column, 0, exponent);
            case 4 -> row.setDecimal(column, random.nextInt(-10, 11), exponent);
            case 5, 6 -> {
                BigInteger wide = new BigInteger(random.nextInt(1, 400), new Random(random.nextLong()));
                BigInteger scaled = wide.multiply(BigInteger.TEN.pow(random.nextInt(4)));
                row.setBigDecimal(column, random.nextBoolean() ? scaled : scaled.negate(), exponent);
            }
            case 7 -> row.setDecimal(column, powerOfTen(random) + random.nextInt(-1, 2), exponent);
            default -> row.setDecimal(column, integer(random), exponent);
        }
    }

    private static long powerOfTen(SplittableRandom random) {
        long power = 1;
        for (int i = random.nextInt(19); i > 0; i--) {
            power *= 10;
        }
        return random.nextBoolean() ? power : -power;
    }

    private static byte[] bytes(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(4) == 0 ? random.nextInt(3) : random.nextInt(MAX_BYTES)];
        boolean few = random.nextBoolean();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = few ? awkward(random) : (byte) random.nextInt(256);
        }
        return bytes;
    }

    private static byte awkward(SplittableRandom random) {
        return switch (random.nextInt(5)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2 -> (byte) 0xff;
            case 3 -> (byte) 0xfe;
            default -> 'a';
        };
    }

    private static long word(SplittableRandom random) {
        long word = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            word = (word << 8) | (random.nextBoolean() ? awkward(random) & 0xff : random.nextInt(256));
        }
        return word;
    }
}
