package io.sluice.model.kv;

import java.util.zip.CRC32;

/**
 * The bytes around a plain KV while Sluice sorts and checks it: the index's prefix before the key, a CRC and a type
 * before the value. Not thread-safe.
 *
 * <pre>
 *   prefix | key | CRC-32, 4 bytes | 03 | value
 * </pre>
 */
public final class PlainFrame {
    /** Length of what is before the value. */
    public static final int HEADER_BYTES = ValueEncoding.HEADER_BYTES;

    private final byte[] prefix;
    private final CRC32 crc = new CRC32();

    /** @param prefix the prefix of all keys; not copied */
    public PlainFrame(byte[] prefix) {
        this.prefix = prefix;
    }

    /** Length of the frame of one KV. */
    public int bytes() {
        return prefix.length + HEADER_BYTES;
    }

    /** Length of what is before the key. */
    public int prefixBytes() {
        return prefix.length;
    }

    /** Writes the prefix; returns the position of the key. */
    public int putPrefix(byte[] buffer, int at) {
        System.arraycopy(prefix, 0, buffer, at, prefix.length);
        return at + prefix.length;
    }

    /** Completes the KV whose framed key fills {@code [keyAt, valueAt)}; the plain value begins after the header. */
    public void putHeader(byte[] buffer, int keyAt, int valueAt, int end) {
        buffer[valueAt + Integer.BYTES] = ValueEncoding.BYTES;
        KvCrc.put(crc, buffer, keyAt, valueAt, end);
    }
}
