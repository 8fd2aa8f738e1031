package io.sluice.importer.sst.table;

/** Unsigned numbers in groups of seven bits, lowest first; the top bit of a byte says that more follow. */
final class Varint {
    static final int MAX_INT_BYTES = 5;
    static final int MAX_LONG_BYTES = 10;

    private Varint() {}

    /** Writes a number and returns the offset after it. */
    static int put(byte[] bytes, int offset, int number) {
        int at = offset;
        int rest = number;
        while ((rest & ~0x7F) != 0) {
            bytes[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[at++] = (byte) rest;
        return at;
    }

    /** Writes a number and returns the offset after it. */
    static int put(byte[] bytes, int offset, long number) {
        int at = offset;
        long rest = number;
        while ((rest & ~0x7FL) != 0) {
            bytes[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[at++] = (byte) rest;
        return at;
    }

    /** How many bytes a number takes. */
    static int length(int number) {
        return Math.max(1, (38 - Integer.numberOfLeadingZeros(number)) / 7);
    }
}
