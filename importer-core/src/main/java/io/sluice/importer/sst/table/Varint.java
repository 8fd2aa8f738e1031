package io.sluice.importer.sst.table;

/** Unsigned integers in groups of seven bits, lowest first. The top bit of a byte is set if more bytes follow. */
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

    /** Number of bytes of an encoded number. */
    static int length(int number) {
        return Math.max(1, (38 - Integer.numberOfLeadingZeros(number)) / 7);
    }
}
