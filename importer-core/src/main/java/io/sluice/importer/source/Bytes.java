package io.sluice.importer.source;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Searches in byte arrays, eight bytes at a time.
 *
 * <p>A byte of {@code word ^ pattern} is zero where the word has the wanted byte; {@code (x - 01..) & ~x & 80..} has
 * the high bit of the first zero byte set (Mycroft 1987; higher bytes may be false hits, the lowest never is).
 */
public final class Bytes {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;

    private Bytes() {}

    /** Loads eight bytes at an offset, the first in the lowest bits. */
    public static long wordAt(byte[] buffer, int offset) {
        return (long) LONG.get(buffer, offset);
    }

    /** A word of eight times the same byte. */
    public static long pattern(byte value) {
        return (value & 0xff) * ONES;
    }

    /** High bits set at zero bytes of a word; only the lowest one can be relied upon. */
    public static long zeroBytes(long word) {
        return (word - ONES) & ~word & HIGHS;
    }

    /**
     * High bits set at the bytes of a word that are below those of a {@linkplain #pattern pattern} of at most 0x80.
     * Only the lowest one can be relied upon (Anderson, Bit Twiddling Hacks, "hasless").
     */
    public static long below(long word, long pattern) {
        return (word - pattern) & ~word & HIGHS;
    }

    /** First position of a byte in {@code [from, to)}, or {@code to}. */
    public static int indexOf(byte[] buffer, int from, int to, byte value) {
        long pattern = pattern(value);
        int i = from;
        for (; i <= to - Long.BYTES; i += Long.BYTES) {
            long hit = zeroBytes(wordAt(buffer, i) ^ pattern);
            if (hit != 0) {
                return i + (Long.numberOfTrailingZeros(hit) >>> 3);
            }
        }
        for (; i < to; i++) {
            if (buffer[i] == value) {
                return i;
            }
        }
        return to;
    }

    /** Last position of a byte in {@code [from, to)}, or -1. */
    public static int lastIndexOf(byte[] buffer, int from, int to, byte value) {
        for (int i = to - 1; i >= from; i--) {
            if (buffer[i] == value) {
                return i;
            }
        }
        return -1;
    }
}
