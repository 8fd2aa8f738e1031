package io.sluice.model.text;

/** Parses the exponent of a number after its {@code e}: an optional sign and digits. */
final class Exponent {
    /** No exponent above this limit is in range. Ten times the limit plus a text's length still fits an int. */
    private static final int LIMIT = 100_000_000;

    private Exponent() {}

    static boolean isValid(byte[] buffer, int from, int to) {
        int digits = from < to && (buffer[from] == '-' || buffer[from] == '+') ? from + 1 : from;
        return digits < to && Ascii.digitsEnd(buffer, digits, to) == to;
    }

    /** Parses a valid exponent; clamps an exponent that is too large for every type to plus or minus 10^8. */
    static int parse(byte[] buffer, int from, int to) {
        boolean negative = buffer[from] == '-';
        int value = 0;
        for (int at = negative || buffer[from] == '+' ? from + 1 : from; at < to; at++) {
            value = Math.min(LIMIT, value * 10 + (buffer[at] - '0'));
        }
        return negative ? -value : value;
    }
}
