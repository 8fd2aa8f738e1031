package io.sluice.model.kv;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/**
 * Encodes decimals whose coefficient does not fit a long, so never 0, in the format of {@link DecimalEncoding} but with
 * objects.
 */
final class WideDecimal {
    private static final double LOG10_OF_2 = Math.log10(2);

    private WideDecimal() {}

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
        int out = DecimalEncoding.putKeyExponent((e10 + 1) >> 1, negative, buffer, at);
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
        int headerBytes = DecimalEncoding.putValueExponent(e10, negative, buffer, at) - at;
        int out = ValueEncoding.putLeb128(headerBytes + count, buffer, at);
        out = DecimalEncoding.putValueExponent(e10, negative, buffer, out);
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
