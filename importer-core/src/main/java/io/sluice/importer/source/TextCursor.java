package io.sluice.importer.source;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;

/**
 * A position in the text of one open input, and the carry: bytes after it that were read already. For one thread at a
 * time; any thread may close it.
 */
final class TextCursor implements Closeable {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final ByteSource bytes;
    private final int stepBytes;
    private byte[] carry = new byte[0];
    private int carryLength;
    /** Offset in the text of the first byte of the carry. */
    private long offset;

    /**
     * Creates a cursor at the start of a source.
     *
     * @param stepBytes bytes to read at a time when skipping
     */
    TextCursor(ByteSource bytes, int stepBytes) {
        this.bytes = bytes;
        offset = bytes.part().offset();
        this.stepBytes = stepBytes;
    }

    /** Offset of the cursor in the text. */
    long offset() {
        return offset;
    }

    /** Length of the carry. */
    int carried() {
        return carryLength;
    }

    /** Offset in the text after the last byte read. */
    long readTo() {
        return offset + carryLength;
    }

    long storedBytes() {
        return bytes.storedBytes();
    }

    boolean readsAhead() {
        return bytes.readsAhead();
    }

    void skipByteOrderMark() throws IOException {
        carry = ensure(carry, BYTE_ORDER_MARK.length);
        carryLength = bytes.fill(carry, 0, BYTE_ORDER_MARK.length);
        if (carryLength == BYTE_ORDER_MARK.length
                && Arrays.equals(carry, 0, carryLength, BYTE_ORDER_MARK, 0, carryLength)) {
            offset += carryLength;
            carryLength = 0;
        }
    }

    /** Copies the carry to the start of a buffer; returns its length. */
    int copyCarry(byte[] buffer) {
        System.arraycopy(carry, 0, buffer, 0, carryLength);
        return carryLength;
    }

    /** Reads the bytes after the carry until the range is full or the input ends; returns the bytes read. */
    int fill(byte[] buffer, int from, int length) throws IOException {
        return bytes.fill(buffer, from, length);
    }

    /**
     * Moves on by {@code end} bytes, and makes the bytes after them the carry.
     *
     * @param buffer the carry and what was read after it, {@code filled} bytes
     */
    void advance(byte[] buffer, int end, int filled) {
        keep(buffer, end, filled);
        offset += end;
    }

    /** Skips {@code length} bytes; false if the input ends before. */
    boolean skip(long length) throws IOException {
        int carried = (int) Math.min(length, carryLength);
        keep(carry, carried, carryLength);
        offset += length;
        return bytes.skip(length - carried);
    }

    private void keep(byte[] buffer, int from, int to) {
        carryLength = to - from;
        carry = ensure(carry, carryLength);
        System.arraycopy(buffer, from, carry, 0, carryLength);
    }

    /**
     * Skips to the end of the next marker and keeps the bytes after it in the carry. The carry may hold the first part
     * of the marker.
     */
    void skipPastMarker(byte[] marker) throws IOException {
        int overlap = Math.max(0, marker.length - 1);
        carry = ensure(carry, overlap + stepBytes);
        boolean last;
        do {
            int read = bytes.fill(carry, carryLength, stepBytes);
            last = read < stepBytes;
            carryLength += read;
            int found = marker.length == 0 ? -1 : OcfFraming.indexOf(carry, 0, carryLength, marker);
            int from = found >= 0 ? found + marker.length : Math.max(0, carryLength - overlap);
            offset += from;
            carryLength -= from;
            System.arraycopy(carry, from, carry, 0, carryLength);
            if (found >= 0) {
                return;
            }
        } while (!last);
        offset += carryLength;
        carryLength = 0;
    }

    /**
     * Skips to the end of the line and keeps the bytes after it in the carry.
     *
     * @param carriageReturn whether the last byte read was a CR, which ended the line but may be the first half of a
     *     CRLF
     * @return whether a line end was skipped; a CR read before does not count
     */
    boolean skipPastLine(boolean carriageReturn) throws IOException {
        carry = ensure(carry, stepBytes);
        boolean ended = carriageReturn;
        boolean counted = false;
        int read;
        do {
            read = bytes.fill(carry, 0, stepBytes);
            int from;
            if (ended) {
                from = read > 0 && carry[0] == '\n' ? 1 : 0;
            } else {
                int lineEnd = firstLineEnd(carry, read);
                ended = lineEnd < read;
                counted = ended;
                from = ended ? afterLineEnd(carry, lineEnd, read) : read;
                if (ended && from == read && carry[lineEnd] == '\r') {
                    offset += read;
                    continue;
                }
            }
            offset += from;
            carryLength = read - from;
            System.arraycopy(carry, from, carry, 0, carryLength);
            if (ended) {
                return counted;
            }
        } while (read == stepBytes);
        carryLength = 0;
        return counted;
    }

    static int firstLineEnd(byte[] buffer, int to) {
        int newline = Bytes.indexOf(buffer, 0, to, (byte) '\n');
        return Bytes.indexOf(buffer, 0, newline, (byte) '\r');
    }

    static int afterLineEnd(byte[] buffer, int lineEnd, int to) {
        boolean two = buffer[lineEnd] == '\r' && lineEnd + 1 < to && buffer[lineEnd + 1] == '\n';
        return lineEnd + (two ? 2 : 1);
    }

    static byte[] ensure(byte[] buffer, int length) {
        return buffer.length >= length ? buffer : Arrays.copyOf(buffer, length);
    }

    @Override
    public void close() throws IOException {
        bytes.close();
    }
}
