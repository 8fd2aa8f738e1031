package io.sluice.model.kv;

import java.util.zip.CRC32;

/** The CRC-32 at the start of every value, over the key and the rest of the value. */
public final class KvCrc {
    private KvCrc() {}

    /** Whether the CRC-32 at the start of the value matches the key and the rest of the value. */
    public static boolean matches(byte[] key, byte[] value) {
        if (value.length < ValueEncoding.HEADER_BYTES) {
            return false;
        }
        return stored(crc(new CRC32(), key, 0, key.length, value, 0, value.length)) == read(value, 0);
    }

    /** Computes the CRC-32 of a key and of its value after the CRC; unlike a stored CRC it may be 0. */
    static int crc(
            CRC32 crc, byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength) {
        crc.reset();
        crc.update(key, keyOffset, keyLength);
        crc.update(value, valueOffset + Integer.BYTES, valueLength - Integer.BYTES);
        return (int) crc.getValue();
    }

    /** Reads the CRC-32 at the start of a value. */
    static int read(byte[] buffer, int valueOffset) {
        return Bits.getInt(buffer, valueOffset);
    }

    /** Writes the CRC of the KV whose key fills {@code [keyAt, valueAt)} and whose value ends before {@code end}. */
    public static void put(CRC32 crc, byte[] buffer, int keyAt, int valueAt, int end) {
        Bits.putInt(buffer, valueAt, stored(crc(crc, buffer, keyAt, valueAt - keyAt, buffer, valueAt, end - valueAt)));
    }

    /** A stored CRC is never 0: CockroachDB reads 0 as no checksum at all, and stores 1 in its place. */
    static int stored(int crc) {
        return crc == 0 ? 1 : crc;
    }
}
