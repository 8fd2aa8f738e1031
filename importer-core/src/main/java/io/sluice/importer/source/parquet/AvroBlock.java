package io.sluice.importer.source.parquet;

import io.sluice.importer.source.OcfFraming;
import io.sluice.model.error.BadInputException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing buffer of values in Avro's binary encoding. For one thread. */
final class AvroBlock {
    private byte[] bytes = new byte[128 << 10];
    private int length;

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    void clear() {
        length = 0;
    }

    private void room(int more) {
        if (more > bytes.length - length) {
            if (more > OcfFraming.MAX_BLOCK_BYTES - length) {
                throw new BadInputException("a row has more than " + OcfFraming.MAX_BLOCK_BYTES + " bytes");
            }
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }

    void putByte(int value) {
        room(1);
        bytes[length++] = (byte) value;
    }

    /** Puts a number as Avro does: zigzag, seven bits in a byte, the lowest first. */
    void putLong(long value) {
        room(10);
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~0x7fL) != 0) {
            bytes[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
    }

    /** Puts the lowest bytes of a number, the lowest byte first. */
    void putLittle(long value, int count) {
        room(count);
        for (int i = 0; i < count; i++) {
            bytes[length++] = (byte) (value >>> (Byte.SIZE * i));
        }
    }

    /** Puts the length of a number's shortest two's complement, and its bytes, the highest first. */
    void putDecimal(long value) {
        int count = 1 + (64 - Long.numberOfLeadingZeros(value < 0 ? ~value : value)) / Byte.SIZE;
        putLong(count);
        room(count);
        for (int i = count - 1; i >= 0; i--) {
            bytes[length++] = (byte) (i >= Long.BYTES ? value >> 63 : value >> (Byte.SIZE * i));
        }
    }

    /** Puts a number without a sign as a decimal. */
    void putUnsigned(long value) {
        if (value >= 0) {
            putDecimal(value);
            return;
        }
        putLong(1 + Long.BYTES);
        putByte(0);
        putLittle(Long.reverseBytes(value), Long.BYTES);
    }

    /** Puts bytes without their length. */
    void putFixed(ByteBuffer value) {
        int count = value.remaining();
        room(count);
        value.duplicate().get(bytes, length, count);
        length += count;
    }

    /** Puts a length and as many bytes. */
    void putBytes(byte[] from, int offset, int count) {
        putLong(count);
        room(count);
        System.arraycopy(from, offset, bytes, length, count);
        length += count;
    }

    /** Puts a length and as many bytes. */
    void putBytes(ByteBuffer value) {
        putLong(value.remaining());
        putFixed(value);
    }

    void putText(String text) {
        putBytes(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }
}
