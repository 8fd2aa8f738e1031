package io.sluice.model.text;

import java.util.Arrays;

/** Scans runs of ASCII bytes without allocation. Bytes are compared as signed: bytes outside of ASCII are negative. */
final class Ascii {
    /** Values of hex digits by byte; a table, because branches would mispredict random digits and letters. */
    private static final byte[] HEX = new byte[256];

    static {
        Arrays.fill(HEX, (byte) -1);
        for (int digit = 0; digit < 16; digit++) {
            HEX[Character.forDigit(digit, 16)] = (byte) digit;
            HEX[Character.toUpperCase(Character.forDigit(digit, 16))] = (byte) digit;
        }
    }

    private Ascii() {}

    /**
     * Whether PostgreSQL ignores the byte around numbers and dates: space, tab, line feed, vertical tab, form feed, CR.
     */
    static boolean isSpace(byte b) {
        return b == ' ' || (b >= '\t' && b <= '\r');
    }

    static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    /** Position of the first non-space byte, or {@code to}. */
    static int skipSpaces(byte[] buffer, int from, int to) {
        int at = from;
        while (at < to && isSpace(buffer[at])) {
            at++;
        }
        return at;
    }

    /** Position after the last non-space byte, or {@code from}. */
    static int trimEnd(byte[] buffer, int from, int to) {
        int end = to;
        while (end > from && isSpace(buffer[end - 1])) {
            end--;
        }
        return end;
    }

    /** Position after the run of digits that begins at {@code from}. */
    static int digitsEnd(byte[] buffer, int from, int to) {
        int at = from;
        while (at < to && isDigit(buffer[at])) {
            at++;
        }
        return at;
    }

    /** Whether the bytes are the word, in any case. The word has only lower-case letters. */
    static boolean isWord(byte[] buffer, int from, int to, String word) {
        if (to - from != word.length()) {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            // Setting bit 0x20 makes letters lower case. No other byte becomes a letter: '@' maps to '`', and '['..'_'
            // to '{'..DEL.
            if ((buffer[from + i] | 0x20) != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** The value of a hex digit of either case, or -1. */
    static int hex(byte b) {
        return HEX[b & 0xff];
    }

    /** Returns 1 for infinity, -1 for -infinity, 0 for any other text. */
    static int infinitySign(byte[] buffer, int from, int to) {
        if (Ascii.isWord(buffer, from, to, "infinity")) {
            return 1;
        }
        return from < to && buffer[from] == '-' && Ascii.isWord(buffer, from + 1, to, "infinity") ? -1 : 0;
    }
}
