package io.sluice.api.kv;

import java.util.zip.CRC32;

/** The CRC-32 with which every value begins: of the key, then of all that follows it in the value. */
public final class KvChecksum {
    private KvChecksum() {}

    /** Whether the value begins with the CRC-32 of this key and of itself. */
    public static boolean matches(byte[] key, byte[] value) {
        if (value.length < ValueEncoding.HEADER_BYTES) {
            return false;
        }
        CRC32 crc = new CRC32();
        crc.update(key);
        crc.update(value, Integer.BYTES, value.length - Integer.BYTES);
        return stored(crc) == KvSum.storedCrc(value, 0);
    }

    /** Writes the CRC of the KV whose key fills {@code [keyAt, valueAt)} and whose value ends before {@code end}. */
    static void put(CRC32 crc, byte[] buffer, int keyAt, int valueAt, int end) {
        crc.reset();
        crc.update(buffer, keyAt, valueAt - keyAt);
        int body = valueAt + Integer.BYTES;
        crc.update(buffer, body, end - body);
        Bits.putInt(buffer, valueAt, stored(crc));
    }

    /** A stored CRC is never 0: CockroachDB reads 0 as no checksum at all, and stores 1 in its place. */
    private static int stored(CRC32 crc) {
        int value = (int) crc.getValue();
        return value == 0 ? 1 : value;
    }
}
