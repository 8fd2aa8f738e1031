package io.sluice.model.kv;

import io.sluice.model.row.Row;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/**
 * Encodes decimals in keys (equal numbers have equal bytes) and in values (which keep the scale). Coefficients that fit
 * a long make no objects; the others are BigIntegers. The scheme is CockroachDB's (util/encoding/decimal.go, 20.2),
 * which took the key encoding from SQLite 4.
 */
final class DecimalEncoding {
    private static final double LOG10_OF_2 = Math.log10(2);

    static final int NAN = 0x18;
    static final int NEGATIVE_INFINITY = 0x19;
    static final int NEGATIVE_LARGE = 0x1a;

    /** Negative with exponent 0; the exponents 1 to 10 lie below it. */
    static final int NEGATIVE_MEDIUM = 0x25;

    static final int NEGATIVE_SMALL = 0x26;
    static final int ZERO = 0x27;
    static final int POSITIVE_SMALL = 0x28;

    /** Positive with exponent 0; the exponents 1 to 10 lie above it. */
    static final int POSITIVE_MEDIUM = 0x29;

    static final int POSITIVE_LARGE = 0x34;
    static final int POSITIVE_INFINITY = 0x35;
    static final int NAN_DESCENDING = 0x36;

    /** The largest exponent that the first byte of a key holds. */
    static final int MAX_MEDIUM_EXPONENT = 10;

    /** Key of a long: header, exponent, 11 pairs for the 19 digits and padding zeros, terminator. */
    static final int MAX_KEY_BYTES = 1 + KeyEncoding.MAX_INT_BYTES + 11 + 1;

    /** Value of a long, without length: header, exponent, magnitude. */
    static final int MAX_VALUE_BYTES = 1 + KeyEncoding.MAX_INT_BYTES + Long.BYTES;

    private static final long[] POWERS_OF_TEN = powersOfTen();

    private DecimalEncoding() {}

    private static long[] powersOfTen() {
        long[] powers = new long[19];
        powers[0] = 1;
        for (int i = 1; i < powers.length; i++) {
            powers[i] = 10 * powers[i - 1];
        }
        return powers;
    }

    /** Decimal digits of a magnitude up to 2^63, taken as unsigned; 1 for 0. */
    static int digits(long magnitude) {
        if (magnitude < 0) {
            return 19; // 2^63, the magnitude of Long.MIN_VALUE
        }
        // 1233 / 4096 is log10(2) rounded down: the guess is right, or one too few, for 63 bits (Hacker's Delight,
        // 11-4).
        int guess = ((Long.SIZE - Long.numberOfLeadingZeros(magnitude | 1)) * 1233) >>> 12;
        return magnitude >= POWERS_OF_TEN[guess] ? guess + 1 : Math.max(guess, 1);
    }

    static int putKey(Row row, int column, boolean descending, byte[] buffer, int at) {
        return switch (row.form(column)) {
            case VALUE -> putKey(row.coefficient(column), row.exponent(column), descending, buffer, at);
            case BIG_DECIMAL -> putKey(row.bigCoefficient(column), row.exponent(column), descending, buffer, at);
            case DECIMAL_NAN -> putByte(descending ? NAN_DESCENDING : NAN, buffer, at);
            case DECIMAL_POSITIVE_INFINITY -> putByte(descending ? NEGATIVE_INFINITY : POSITIVE_INFINITY, buffer, at);
            case DECIMAL_NEGATIVE_INFINITY -> putByte(descending ? POSITIVE_INFINITY : NEGATIVE_INFINITY, buffer, at);
            case NULL -> throw new IllegalStateException("column " + column + " is NULL");
        };
    }

    private static int putKey(long coefficient, int exponent, boolean descending, byte[] buffer, int at) {
        if (coefficient == 0) {
            return putByte(ZERO, buffer, at);
        }
        if (coefficient == Long.MIN_VALUE) {
            // The magnitude of Long.MIN_VALUE does not fit a long.
            return putKey(BigInteger.valueOf(coefficient), exponent, descending, buffer, at);
        }
        boolean negative = coefficient < 0 != descending;
        long rest = Math.abs(coefficient);
        long stripped = exponent;
        while (rest % 10 == 0) {
            rest /= 10;
            stripped++;
        }
        // |value| = 0.D x 10^e10; pairs of digits are aligned to the point, so an odd e10 puts a 0 in front of D.
        int digits = digits(rest);
        long e10 = digits + stripped;
        int aligned = digits + (int) (e10 & 1);
        boolean padded = (aligned & 1) != 0;
        int pairs = (aligned + 1) >> 1;
        int mask = negative ? 0xff : 0;
        int out = putKeyExponent((e10 + 1) >> 1, negative, buffer, at);
        long lastPair = padded ? rest % 10 * 10 : rest % 100;
        rest /= padded ? 10 : 100;
        buffer[out + pairs - 1] = (byte) ((2 * lastPair) ^ mask);
        for (int i = out + pairs - 2; i >= out; i--) {
            buffer[i] = (byte) ((2 * (rest % 100) + 1) ^ mask);
            rest /= 100;
        }
        buffer[out + pairs] = 0;
        return out + pairs + 1;
    }

    /** Writes the header of a finite key: sign and exponent of 100. */
    static int putKeyExponent(long exponent, boolean negative, byte[] buffer, int at) {
        if (exponent < 0) {
            buffer[at] = (byte) (negative ? NEGATIVE_SMALL : POSITIVE_SMALL);
            return negative
                    ? KeyEncoding.putUvarint(-exponent, buffer, at + 1)
                    : KeyEncoding.putUvarintDescending(-exponent, buffer, at + 1);
        }
        if (exponent <= MAX_MEDIUM_EXPONENT) {
            return putByte((int) (negative ? NEGATIVE_MEDIUM - exponent : POSITIVE_MEDIUM + exponent), buffer, at);
        }
        buffer[at] = (byte) (negative ? NEGATIVE_LARGE : POSITIVE_LARGE);
        return negative
                ? KeyEncoding.putUvarintDescending(exponent, buffer, at + 1)
                : KeyEncoding.putUvarint(exponent, buffer, at + 1);
    }

    /** Writes a decimal with its length. */
    static int putValue(Row row, int column, byte[] buffer, int at) {
        return switch (row.form(column)) {
            case VALUE -> putValue(row.coefficient(column), row.exponent(column), buffer, at);
            case BIG_DECIMAL -> putValue(row.bigCoefficient(column), row.exponent(column), buffer, at);
            case DECIMAL_NAN -> putLoneByte(NAN, buffer, at);
            case DECIMAL_POSITIVE_INFINITY -> putLoneByte(POSITIVE_INFINITY, buffer, at);
            case DECIMAL_NEGATIVE_INFINITY -> putLoneByte(NEGATIVE_INFINITY, buffer, at);
            case NULL -> throw new IllegalStateException("column " + column + " is NULL");
        };
    }

    /** Writes a decimal without its length. */
    static int putBareValue(Row row, int column, byte[] buffer, int at) {
        int end = putValue(row, column, buffer, at);
        int data = at + 1;
        while (buffer[data - 1] < 0) {
            data++;
        }
        System.arraycopy(buffer, data, buffer, at, end - data);
        return end - (data - at);
    }

    private static int putValue(long coefficient, int exponent, byte[] buffer, int at) {
        if (coefficient == 0 && exponent == 0) {
            return putLoneByte(ZERO, buffer, at);
        }
        long magnitude = Math.abs(coefficient);
        int out = putValueExponent((long) digits(magnitude) + exponent, coefficient < 0, buffer, at + 1);
        int count = Bits.bytesOf(magnitude);
        Bits.putLowBytes(buffer, out, magnitude, count);
        out += count;
        buffer[at] = (byte) (out - at - 1); // below 128: one byte of leb128
        return out;
    }

    /** Writes the header of a finite value: sign and exponent of 10. */
    static int putValueExponent(long exponent, boolean negative, byte[] buffer, int at) {
        if (exponent == 0) {
            return putByte(negative ? NEGATIVE_MEDIUM : POSITIVE_MEDIUM, buffer, at);
        }
        if (exponent < 0) {
            buffer[at] = (byte) (negative ? NEGATIVE_SMALL : POSITIVE_SMALL);
            return KeyEncoding.putUvarint(-exponent, buffer, at + 1);
        }
        buffer[at] = (byte) (negative ? NEGATIVE_LARGE : POSITIVE_LARGE);
        return KeyEncoding.putUvarint(exponent, buffer, at + 1);
    }

    private static int putLoneByte(int value, byte[] buffer, int at) {
        buffer[at] = 1;
        return putByte(value, buffer, at + 1);
    }

    private static int putByte(int value, byte[] buffer, int at) {
        buffer[at] = (byte) value;
        return at + 1;
    }

    static boolean endsInZero(BigInteger coefficient) {
        return coefficient.mod(BigInteger.TEN).signum() == 0;
    }

    /**
     * Upper bound on the extra bytes of a wide coefficient over those of a long. Keys need one byte per two digits,
     * less than bits / 6, plus rounding; values one byte per 8 bits.
     */
    static long extraBytes(BigInteger coefficient) {
        return coefficient.bitLength() / 6L + 4;
    }

    static int putKey(BigInteger coefficient, int exponent, boolean descending, byte[] buffer, int at) {
        boolean negative = coefficient.signum() < 0 != descending;
        byte[] digits = coefficient.abs().toString().getBytes(StandardCharsets.ISO_8859_1);
        long e10 = (long) digits.length + exponent;
        int used = digits.length;
        while (digits[used - 1] == '0') {
            used--;
        }
        int lead = (int) (e10 & 1);
        int pairs = (used + lead + 1) >> 1;
        int mask = negative ? 0xff : 0;
        int out = putKeyExponent((e10 + 1) >> 1, negative, buffer, at);
        for (int pair = 0; pair < pairs; pair++) {
            int high = digitAt(digits, used, 2 * pair - lead);
            int low = digitAt(digits, used, 2 * pair + 1 - lead);
            int more = pair < pairs - 1 ? 1 : 0;
            buffer[out++] = (byte) ((2 * (10 * high + low) + more) ^ mask);
        }
        buffer[out] = 0;
        return out + 1;
    }

    private static int digitAt(byte[] digits, int used, int position) {
        return position < 0 || position >= used ? 0 : digits[position] - '0';
    }

    static int putValue(BigInteger coefficient, int exponent, byte[] buffer, int at) {
        BigInteger magnitude = coefficient.abs();
        byte[] bytes = magnitude.toByteArray();
        int sign = bytes[0] == 0 ? 1 : 0;
        int count = bytes.length - sign;
        long e10 = digits(magnitude) + (long) exponent;
        boolean negative = coefficient.signum() < 0;
        // The exponent is written twice; the first time only to measure its length.
        int headerBytes = putValueExponent(e10, negative, buffer, at) - at;
        int out = ValueEncoding.putLeb128(headerBytes + count, buffer, at);
        out = putValueExponent(e10, negative, buffer, out);
        System.arraycopy(bytes, sign, buffer, out, count);
        return out + count;
    }

    /** Decimal digits of a positive number. */
    static int digits(BigInteger magnitude) {
        int atLeast = (int) Math.floor((magnitude.bitLength() - 1) * LOG10_OF_2);
        int digits = Math.max(atLeast, 0);
        BigInteger power = BigInteger.TEN.pow(digits);
        while (power.compareTo(magnitude) <= 0) {
            power = power.multiply(BigInteger.TEN);
            digits++;
        }
        return Math.max(digits, 1);
    }
}
