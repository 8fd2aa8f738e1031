package io.sluice.importer.source;

/**
 * Avro's variable-length numbers: zigzag (0, -1, 1, -2, ...), seven bits to a byte, the lowest first, the high bit set
 * in all bytes but the last (Avro specification, "Binary encoding").
 */
public final class Varints {
    /** The number continues after the range. */
    public static final int INCOMPLETE = -1;

    /** The number does not fit 64 bits. */
    public static final int MALFORMED = -2;

    /** Ten times seven bits hold 64. */
    private static final int MAX_BYTES = 10;

    private Varints() {}

    /** Position after the number at {@code from}, {@link #INCOMPLETE} or {@link #MALFORMED}. */
    public static int end(byte[] buffer, int from, int to) {
        for (int i = 0; i < MAX_BYTES; i++) {
            if (from + i >= to) {
                return INCOMPLETE;
            }
            byte b = buffer[from + i];
            if (b >= 0) {
                return i == MAX_BYTES - 1 && b > 1 ? MALFORMED : from + i + 1;
            }
        }
        return MALFORMED;
    }

    /** The number at {@code from}; {@link #end} must have found its end. */
    public static long value(byte[] buffer, int from) {
        long raw = 0;
        int at = from;
        int shift = 0;
        byte b;
        do {
            b = buffer[at++];
            raw |= (long) (b & 0x7f) << shift;
            shift += 7;
        } while (b < 0);
        return (raw >>> 1) ^ -(raw & 1);
    }
}
