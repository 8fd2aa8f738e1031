package io.sluice.model.kv;

import io.sluice.model.row.Row;
import java.math.BigInteger;

/** Decodes decimals that {@link DecimalEncoding} encoded. */
final class DecimalDecoding {
    /** Nine pairs of digits, 10^18, fit a long. */
    private static final int MAX_LONG_PAIRS = 9;

    private static final int MAX_PAIR = 99;

    private DecimalDecoding() {}

    /** Reads a decimal from a key, without trailing zeros. A decimal with trailing zeros is repeated in the value. */
    static void readKey(ByteCursor key, boolean descending, Row row, int column) {
        int header = key.readByte();
        switch (header) {
            case DecimalEncoding.ZERO -> row.setDecimal(column, 0, 0);
            case DecimalEncoding.NAN, DecimalEncoding.NAN_DESCENDING ->
                row.setSpecialDecimal(column, Row.Form.DECIMAL_NAN);
            case DecimalEncoding.NEGATIVE_INFINITY ->
                row.setSpecialDecimal(
                        column, descending ? Row.Form.DECIMAL_POSITIVE_INFINITY : Row.Form.DECIMAL_NEGATIVE_INFINITY);
            case DecimalEncoding.POSITIVE_INFINITY ->
                row.setSpecialDecimal(
                        column, descending ? Row.Form.DECIMAL_NEGATIVE_INFINITY : Row.Form.DECIMAL_POSITIVE_INFINITY);
            default -> {
                boolean negative = header < DecimalEncoding.ZERO;
                long exponent = readKeyExponent(header, key);
                readDigits(key, negative, descending, exponent, row, column);
            }
        }
    }

    static void skipKey(ByteCursor key) {
        int header = key.readByte();
        switch (header) {
            case DecimalEncoding.ZERO,
                    DecimalEncoding.NAN,
                    DecimalEncoding.NAN_DESCENDING,
                    DecimalEncoding.NEGATIVE_INFINITY,
                    DecimalEncoding.POSITIVE_INFINITY -> {}
            default -> {
                readKeyExponent(header, key);
                skipDigits(key);
            }
        }
    }

    private static long readKeyExponent(int header, ByteCursor key) {
        if (header >= DecimalEncoding.POSITIVE_MEDIUM && header < DecimalEncoding.POSITIVE_LARGE) {
            return (long) header - DecimalEncoding.POSITIVE_MEDIUM;
        }
        if (header > DecimalEncoding.NEGATIVE_LARGE && header <= DecimalEncoding.NEGATIVE_MEDIUM) {
            return (long) DecimalEncoding.NEGATIVE_MEDIUM - header;
        }
        return switch (header) {
            case DecimalEncoding.POSITIVE_SMALL -> -checkedExponent(KeyDecoding.readUvarintDescending(key), key);
            case DecimalEncoding.NEGATIVE_SMALL -> -checkedExponent(KeyDecoding.readUvarint(key), key);
            case DecimalEncoding.POSITIVE_LARGE -> checkedExponent(KeyDecoding.readUvarint(key), key);
            case DecimalEncoding.NEGATIVE_LARGE -> checkedExponent(KeyDecoding.readUvarintDescending(key), key);
            default -> throw key.corrupt("holds no DECIMAL");
        };
    }

    /** Checks an exponent. The encoder's exponents are ints, so adding digit counts does not overflow a long. */
    private static long checkedExponent(long exponent, ByteCursor from) {
        if (exponent < 0 || exponent > 1L << Integer.SIZE) {
            throw from.corrupt("holds a DECIMAL whose exponent is out of range");
        }
        return exponent;
    }

    private static int skipDigits(ByteCursor key) {
        int pairs = -1;
        int next;
        do {
            next = key.readByte();
            pairs++;
        } while (next != 0);
        if (pairs == 0) {
            throw key.corrupt("holds a DECIMAL without digits");
        }
        return pairs;
    }

    private static void readDigits(
            ByteCursor key, boolean negative, boolean descending, long exponent, Row row, int column) {
        int start = key.position();
        int pairs = skipDigits(key);
        byte[] bytes = key.array();
        int mask = negative ? 0xff : 0;
        long coefficient = 0;
        StringBuilder wide = pairs > MAX_LONG_PAIRS ? new StringBuilder(2 * pairs) : null;
        for (int i = 0; i < pairs; i++) {
            int digits = (bytes[start + i] & 0xff) ^ mask;
            int pair = digits >> 1;
            boolean more = (digits & 1) != 0;
            if (pair > MAX_PAIR || more != (i < pairs - 1)) {
                throw key.corrupt("holds a DECIMAL with bad digits");
            }
            if (wide == null) {
                coefficient = 100 * coefficient + pair;
            } else {
                wide.append((char) ('0' + pair / 10)).append((char) ('0' + pair % 10));
            }
        }
        boolean minus = negative != descending;
        long scaled = 2 * exponent - 2L * pairs;
        if (wide != null) {
            int length = wide.length();
            boolean padded = wide.charAt(length - 1) == '0';
            wide.setLength(padded ? length - 1 : length);
            BigInteger big = new BigInteger(wide.toString());
            row.setBigDecimal(column, minus ? big.negate() : big, checkedInt(padded ? scaled + 1 : scaled, key));
            return;
        }
        if (coefficient % 10 == 0) {
            coefficient /= 10;
            scaled++;
        }
        row.setDecimal(column, minus ? -coefficient : coefficient, checkedInt(scaled, key));
    }

    /** Reads a decimal with its length from a value. */
    static void readValue(ByteCursor value, Row row, int column) {
        readBareValue(value, value.readLeb128(), row, column);
    }

    /** Reads a decimal of {@code length} bytes from a value. */
    static void readBareValue(ByteCursor value, long length, Row row, int column) {
        int start = value.position();
        if (length < 1 || length > value.remaining()) {
            throw value.corrupt("holds a DECIMAL longer than itself, or empty");
        }
        int header = value.readByte();
        switch (header) {
            case DecimalEncoding.ZERO -> row.setDecimal(column, 0, 0);
            case DecimalEncoding.NAN -> row.setSpecialDecimal(column, Row.Form.DECIMAL_NAN);
            case DecimalEncoding.POSITIVE_INFINITY -> row.setSpecialDecimal(column, Row.Form.DECIMAL_POSITIVE_INFINITY);
            case DecimalEncoding.NEGATIVE_INFINITY -> row.setSpecialDecimal(column, Row.Form.DECIMAL_NEGATIVE_INFINITY);
            default -> {
                long exponent = readValueExponent(header, value);
                int magnitudeBytes = (int) length - (value.position() - start);
                readMagnitude(value, magnitudeBytes, header < DecimalEncoding.ZERO, exponent, row, column);
            }
        }
        if (value.position() - start != length) {
            throw value.corrupt("holds a DECIMAL that is not as long as it says");
        }
    }

    private static long readValueExponent(int header, ByteCursor value) {
        return switch (header) {
            case DecimalEncoding.POSITIVE_MEDIUM, DecimalEncoding.NEGATIVE_MEDIUM -> 0;
            case DecimalEncoding.POSITIVE_LARGE, DecimalEncoding.NEGATIVE_LARGE ->
                checkedExponent(KeyDecoding.readUvarint(value), value);
            case DecimalEncoding.POSITIVE_SMALL, DecimalEncoding.NEGATIVE_SMALL ->
                -checkedExponent(KeyDecoding.readUvarint(value), value);
            default -> throw value.corrupt("holds no DECIMAL");
        };
    }

    private static void readMagnitude(
            ByteCursor value, int count, boolean negative, long exponent, Row row, int column) {
        if (count < 0) {
            throw value.corrupt("holds a DECIMAL shorter than its exponent");
        }
        if (count < Long.BYTES) {
            long magnitude = value.readBigEndian(count);
            int scaled = checkedInt(exponent - DecimalEncoding.digits(magnitude), value);
            row.setDecimal(column, negative ? -magnitude : magnitude, scaled);
            return;
        }
        int start = value.position();
        value.skip(count);
        BigInteger magnitude = new BigInteger(1, value.array(), start, count);
        int scaled = checkedInt(exponent - DecimalEncoding.digits(magnitude), value);
        row.setBigDecimal(column, negative ? magnitude.negate() : magnitude, scaled);
    }

    private static int checkedInt(long exponent, ByteCursor from) {
        if (exponent != (int) exponent) {
            throw from.corrupt("holds a DECIMAL whose exponent is out of range");
        }
        return (int) exponent;
    }
}
