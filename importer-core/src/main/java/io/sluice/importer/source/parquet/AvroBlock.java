package io.sluice.importer.source.parquet;

import io.sluice.importer.source.ColumnBlocks;
import io.sluice.importer.source.OcfFraming;
import io.sluice.model.error.BadInputException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A growing buffer of columns ({@link ColumnBlocks}) or of values in Avro's binary encoding, with room in front for a
 * block's two numbers: these are known after its values. For one thread.
 */
final class AvroBlock {
    private static final int MOST_NUMBER_BYTES = 10;
    private static final int FRONT_BYTES = 2 * MOST_NUMBER_BYTES;

    private byte[] bytes = new byte[160 << 10];
    private int start = FRONT_BYTES;
    private int end = FRONT_BYTES;

    byte[] bytes() {
        return bytes;
    }

    /** Position of the first byte, of the block's numbers if they were put. */
    int start() {
        return start;
    }

    /** Position after the last value. */
    int end() {
        return end;
    }

    /** Number of bytes of the values. */
    int length() {
        return end - FRONT_BYTES;
    }

    void clear() {
        start = FRONT_BYTES;
        end = FRONT_BYTES;
    }

    /** Puts the number of records, and the number of bytes put so far, before these bytes. */
    void putFront(long records) {
        int values = end;
        end = FRONT_BYTES - varintBytes(records) - varintBytes(values - FRONT_BYTES);
        start = end;
        putLong(records);
        putLong(values - FRONT_BYTES);
        end = values;
    }

    /** Bytes that {@link #putLong} needs. */
    static int varintBytes(long value) {
        return 1 + (Long.SIZE - 1 - Long.numberOfLeadingZeros(((value << 1) ^ (value >> 63)) | 1)) / 7;
    }

    private void room(int more) {
        if (more > bytes.length - end) {
            if (more > OcfFraming.MAX_BLOCK_BYTES - length()) {
                throw tooLong();
            }
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, end + more));
        }
    }

    private static BadInputException tooLong() {
        return new BadInputException("a row has more than " + OcfFraming.MAX_BLOCK_BYTES + " bytes");
    }

    /** Makes room for bytes that the caller puts; returns the position of the first one. */
    int reserve(long count) {
        if (count > OcfFraming.MAX_BLOCK_BYTES) {
            throw tooLong();
        }
        room((int) count);
        int first = end;
        end += (int) count;
        return first;
    }

    /**
     * Puts the head of a field's values.
     *
     * @return its position, for {@link #endColumn}
     */
    int startColumn(byte nulls, int width) {
        int head = reserve(ColumnBlocks.HEAD_BYTES);
        bytes[head] = nulls;
        ColumnBlocks.putInt(bytes, head + 1, width);
        return head;
    }

    /** Completes a head, after its values were put. */
    void endColumn(int head) {
        ColumnBlocks.putInt(bytes, head + 1 + Integer.BYTES, end - head - ColumnBlocks.HEAD_BYTES);
    }

    void putByte(int value) {
        room(1);
        bytes[end++] = (byte) value;
    }

    /** Puts a number as Avro does: zigzag, seven bits in a byte, the lowest first. */
    void putLong(long value) {
        room(MOST_NUMBER_BYTES);
        end = putLong(value, bytes, end);
    }

    /** As {@link #putLong(long)}, into any bytes; returns the position after it. */
    static int putLong(long value, byte[] to, int at) {
        int next = at;
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~0x7fL) != 0) {
            to[next++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        to[next++] = (byte) rest;
        return next;
    }

    /** Puts the lowest bytes of a number, the lowest byte first. */
    void putLittle(long value, int count) {
        room(count);
        for (int i = 0; i < count; i++) {
            bytes[end++] = (byte) (value >>> (Byte.SIZE * i));
        }
    }

    /** Puts the length of a number's shortest two's complement, and its bytes, the highest first. */
    void putDecimal(long value) {
        int count = 1 + (64 - Long.numberOfLeadingZeros(value < 0 ? ~value : value)) / Byte.SIZE;
        putLong(count);
        room(count);
        for (int i = count - 1; i >= 0; i--) {
            bytes[end++] = (byte) (i >= Long.BYTES ? value >> 63 : value >> (Byte.SIZE * i));
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
        value.duplicate().get(bytes, end, count);
        end += count;
    }

    /** Puts a length and as many bytes. */
    void putBytes(byte[] from, int offset, int count) {
        putLong(count);
        putFixed(from, offset, count);
    }

    /** Puts bytes without their length. */
    void putFixed(byte[] from, int offset, int count) {
        room(count);
        System.arraycopy(from, offset, bytes, end, count);
        end += count;
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
