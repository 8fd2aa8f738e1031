package io.sluice.model.kv;

import java.util.Arrays;

/**
 * A read position in the key or the value of a KV. Every read checks bounds first, so arbitrary bytes yield a datum or
 * a {@link CorruptKvException}.
 */
final class ByteCursor {
    private static final byte[] NOTHING = {};

    private final byte[] bytes;
    private final int end;
    private final String part;
    private final byte[] key;
    private int at;

    private ByteCursor(byte[] bytes, int at, int end, String part, byte[] key) {
        this.bytes = bytes;
        this.at = at;
        this.end = end;
        this.part = part;
        this.key = key;
    }

    static ByteCursor ofKey(byte[] key) {
        return ofKey(key, key.length);
    }

    /** Creates a cursor for a key at the start of an array. */
    static ByteCursor ofKey(byte[] key, int length) {
        return new ByteCursor(key, 0, length, "key", key);
    }

    /** Creates a cursor for a key inside an array; its error messages omit the key. */
    static ByteCursor ofKey(byte[] buffer, int offset, int length) {
        return new ByteCursor(buffer, offset, offset + length, "key", NOTHING);
    }

    /** Creates a cursor after the CRC and the value type. The key is only for error messages. */
    static ByteCursor ofPayload(byte[] key, byte[] value, int valueType) {
        ByteCursor cursor = new ByteCursor(value, 0, value.length, "value", key);
        cursor.skip(ValueEncoding.HEADER_BYTES);
        int found = value[ValueEncoding.HEADER_BYTES - 1];
        if (found != valueType) {
            throw cursor.corrupt("has type %d, expected %d".formatted(found, valueType));
        }
        return cursor;
    }

    CorruptKvException corrupt(String what) {
        return new CorruptKvException(part + " " + what + ", near byte " + at + " of " + end, key);
    }

    byte[] array() {
        return bytes;
    }

    int position() {
        return at;
    }

    int remaining() {
        return end - at;
    }

    /** Returns the byte at the cursor without advancing. */
    int peek() {
        require(1);
        return bytes[at] & 0xff;
    }

    int readByte() {
        require(1);
        return bytes[at++] & 0xff;
    }

    long readLong() {
        require(Long.BYTES);
        long value = Bits.getLong(bytes, at);
        at += Long.BYTES;
        return value;
    }

    /** Reads an unsigned big-endian number of 1 to 8 bytes. */
    long readBigEndian(int count) {
        require(count);
        long value = 0;
        for (int i = 0; i < count; i++) {
            value = (value << 8) | (bytes[at++] & 0xff);
        }
        return value;
    }

    void skip(long count) {
        require(count);
        at += (int) count;
    }

    /** Skips the prefix if it comes next. */
    boolean skipIfNext(byte[] prefix) {
        if (remaining() < prefix.length || !Arrays.equals(bytes, at, at + prefix.length, prefix, 0, prefix.length)) {
            return false;
        }
        at += prefix.length;
        return true;
    }

    /** Reads an unsigned value of at most 63 bits in groups of seven bits, the most significant first. */
    long readBe128() {
        long value = 0;
        int next;
        do {
            next = readByte();
            if (value >>> (Long.SIZE - 1 - 7) != 0) {
                throw corrupt("holds a length or tag beyond 63 bits");
            }
            value = (value << 7) | (next & 0x7f);
        } while (next >= 0x80);
        return value;
    }

    /** Reads an unsigned value of at most 64 bits in groups of seven bits, the least significant first. */
    long readLeb128() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            int next = readByte();
            if (shift == Long.SIZE - 1 && next > 1) {
                break;
            }
            value |= (long) (next & 0x7f) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw corrupt("holds an integer beyond 64 bits");
    }

    long readZigzag() {
        long value = readLeb128();
        return (value >>> 1) ^ -(value & 1);
    }

    private void require(long count) {
        if (count < 0 || count > end - at) {
            throw corrupt("ends too early");
        }
    }
}
