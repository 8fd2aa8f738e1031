package io.sluice.importer.decode.json;

import io.sluice.importer.source.Bytes;
import io.sluice.importer.source.Framing;
import io.sluice.model.text.JsonScanner;

/**
 * Finds the elements of a JSON array. A record is an element with the bracket or comma before it; the last one includes
 * the bracket that closes the array. It ends where the next comma stands outside of quotes and inner brackets. So the
 * framing needs no state, and the last split of a file has the closing bracket.
 *
 * <p>After an element that is too long or never ends, nothing tells where the next one begins: the rest of the file is
 * not read, and the decoder fails.
 *
 * @param maxRecordBytes longest record
 */
record ArrayFraming(int maxRecordBytes) implements Framing {
    static final ArrayFraming UNLIMITED = new ArrayFraming(Integer.MAX_VALUE);

    private static final byte[] NO_MARKER = {};

    @Override
    public ArrayFraming limited(int bytes) {
        return new ArrayFraming(bytes);
    }

    @Override
    public byte[] marker() {
        return NO_MARKER;
    }

    @Override
    public int lastRecordEnd(byte[] buffer, int from, int to, boolean last) {
        int end = from;
        while (end < to) {
            int next = firstRecordEnd(buffer, end, to, last);
            if (next < 0 || next - end > maxRecordBytes) {
                break;
            }
            end = next;
        }
        return end;
    }

    @Override
    public int firstRecordEnd(byte[] buffer, int from, int to, boolean last) {
        int end = valueEnd(buffer, valueStart(buffer, from, to), to);
        if (end < to && buffer[end] == ']') {
            end = JsonScanner.skipSpace(buffer, end + 1, to);
        }
        return end < to || last ? end : -1;
    }

    /** Start of the element of the record at {@code from}: after white space and a comma or opening bracket. */
    static int valueStart(byte[] buffer, int from, int to) {
        int at = JsonScanner.skipSpace(buffer, from, to);
        boolean separator = at < to && (buffer[at] == ',' || buffer[at] == '[');
        return separator ? JsonScanner.skipSpace(buffer, at + 1, to) : at;
    }

    /** Position of the comma or bracket that ends the element at {@code from}, or {@code to}. */
    static int valueEnd(byte[] buffer, int from, int to) {
        int depth = 0;
        int at = from;
        while (at < to) {
            switch (buffer[at]) {
                case '"' -> at = closingQuote(buffer, at + 1, to);
                case '{', '[' -> depth++;
                case '}' -> depth = Math.max(0, depth - 1);
                case ']' -> {
                    if (depth == 0) {
                        return at;
                    }
                    depth--;
                }
                case ',' -> {
                    if (depth == 0) {
                        return at;
                    }
                }
                default -> {}
            }
            at++;
        }
        return to;
    }

    private static int closingQuote(byte[] buffer, int from, int to) {
        int at = from;
        while (true) {
            at = Bytes.indexOf(buffer, at, to, (byte) '"');
            int backslash = at;
            while (backslash > from && buffer[backslash - 1] == '\\') {
                backslash--;
            }
            if (at == to || ((at - backslash) & 1) == 0) {
                return at;
            }
            at++;
        }
    }
}
