package io.sluice.node.read;

import io.sluice.api.kv.KvSum;
import java.util.zip.CRC32;

/** Recomputes the CRC-32 that every value begins with. Not safe for use by several threads. */
final class KvCheck {
    private static final int CRC_BYTES = 4;
    /** The CRC and the type byte. */
    private static final int LEAST_VALUE_BYTES = CRC_BYTES + 1;

    private final CRC32 crc = new CRC32();

    /** Whether the value begins with the CRC of its key and the rest of it; a CRC of 0 is stored as 1. */
    boolean intact(byte[] key, byte[] value) {
        if (value.length < LEAST_VALUE_BYTES) {
            return false;
        }
        crc.reset();
        crc.update(key, 0, key.length);
        crc.update(value, CRC_BYTES, value.length - CRC_BYTES);
        int computed = (int) crc.getValue();
        return KvSum.storedCrc(value, 0) == (computed == 0 ? 1 : computed);
    }
}
