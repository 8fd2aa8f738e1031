package io.sluice.model.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Validates UTF-8 as RFC 3629 defines it: shortest forms only, no surrogates, nothing above U+10FFFF. The ranges are
 * those of table 3-7 of the Unicode Standard.
 */
final class Utf8 {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** The top bit of eight bytes: none is set when all of them are ASCII. */
    private static final long TOP_BITS = 0x8080_8080_8080_8080L;

    private Utf8() {}

    /** Position of the first non-ASCII byte from {@code from}, or {@code to}. */
    static int asciiEnd(byte[] buffer, int from, int to) {
        int at = from;
        for (; at <= to - Long.BYTES; at += Long.BYTES) {
            if (((long) LONGS.get(buffer, at) & TOP_BITS) != 0) {
                break;
            }
        }
        while (at < to && buffer[at] >= 0) {
            at++;
        }
        return at;
    }

    /**
     * Counts the code points of valid UTF-8.
     *
     * @return their number, or {@code -1 - i} if the byte at {@code from + i} starts an invalid sequence
     */
    static int codePoints(byte[] buffer, int from, int to) {
        int at = asciiEnd(buffer, from, to);
        int continuations = 0;
        while (at < to) {
            int length = sequenceLength(buffer, at, to);
            if (length == 0) {
                return -1 - (at - from);
            }
            continuations += length - 1;
            at += length;
            // Text in one script has runs of long sequences: test for eight ASCII bytes only after the first one.
            if (at < to && buffer[at] >= 0) {
                at = asciiEnd(buffer, at, to);
            }
        }
        return to - from - continuations;
    }

    /** Length of the sequence that begins at {@code at}, or 0 if it is invalid. */
    private static int sequenceLength(byte[] buffer, int at, int to) {
        int lead = buffer[at] & 0xff;
        if (lead < 0x80) {
            return 1;
        }
        if (lead < 0xc2) {
            return 0; // a continuation byte, or a longer form of ASCII
        }
        if (lead < 0xe0) {
            return at + 1 < to && isContinuation(buffer[at + 1]) ? 2 : 0;
        }
        if (at + 1 >= to) {
            return 0;
        }
        int second = buffer[at + 1] & 0xff;
        if (lead < 0xf0) {
            int lowest = lead == 0xe0 ? 0xa0 : 0x80;
            int highest = lead == 0xed ? 0x9f : 0xbf;
            return second >= lowest && second <= highest && at + 2 < to && isContinuation(buffer[at + 2]) ? 3 : 0;
        }
        if (lead > 0xf4) {
            return 0;
        }
        int lowest = lead == 0xf0 ? 0x90 : 0x80;
        int highest = lead == 0xf4 ? 0x8f : 0xbf;
        return second >= lowest
                        && second <= highest
                        && at + 3 < to
                        && isContinuation(buffer[at + 2])
                        && isContinuation(buffer[at + 3])
                ? 4
                : 0;
    }

    private static boolean isContinuation(byte b) {
        return (b & 0xc0) == 0x80;
    }
}
