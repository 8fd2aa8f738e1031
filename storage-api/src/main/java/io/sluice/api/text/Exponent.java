package io.sluice.api.text;

/** The part of a number behind its {@code e}: an optional sign and digits. */
final class Exponent {
    /** Beyond this nothing is in range; ten times as much still fits an int, and so does adding a text's length. */
    private static final int LIMIT = 100_000_000;

    private Exponent() {}

    static boolean isValid(byte[] buffer, int from, int to) {
        int digits = from < to && (buffer[from] == '-' || buffer[from] == '+') ? from + 1 : from;
        return digits < to && Ascii.digitsEnd(buffer, digits, to) == to;
    }

    /** The value of a valid exponent; one too large for any type comes out as plus or minus 10^8. */
    static int parse(byte[] buffer, int from, int to) {
        boolean negative = buffer[from] == '-';
        int value = 0;
        for (int at = negative || buffer[from] == '+' ? from + 1 : from; at < to; at++) {
            value = Math.min(LIMIT, value * 10 + (buffer[at] - '0'));
        }
        return negative ? -value : value;
    }
}
