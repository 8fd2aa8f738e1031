package io.sluice.model.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Reads JSON (RFC 8259) from bytes, one token at a time, without objects. It checks the grammar of everything that it
 * passes; UTF-8 is left to the columns' parsers. Its users read and move the position themselves, since it is inside
 * their innermost loops. For one thread.
 */
public final class JsonScanner {
    /** Deepest nesting of objects and arrays, as in Jackson. It bounds the recursion. */
    public static final int MAX_DEPTH = 1_000;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long QUOTES = '"' * ONES;
    private static final long BACKSLASHES = '\\' * ONES;
    private static final long SPACES = ' ' * ONES;
    private static final long HIGHS = 0x8080_8080_8080_8080L;

    private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

    public byte[] buffer = {};

    /** Position of the next byte to read. */
    public int pos;

    /** Whether the last string has escapes. */
    public boolean escaped;

    private int end;

    /** Starts at a range of a buffer. */
    public void reset(byte[] bytes, int from, int to) {
        buffer = bytes;
        pos = from;
        end = to;
    }

    /** First position that is not white space. */
    public static int skipSpace(byte[] buffer, int from, int to) {
        int at = from;
        while (at < to && isSpace(buffer[at])) {
            at++;
        }
        return at;
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }

    /** Skips white space; returns the next byte, or -1 at the end. */
    public int next() {
        while (pos < end) {
            byte b = buffer[pos];
            if (b > ' ' || !isSpace(b)) {
                return b & 0xff;
            }
            pos++;
        }
        return -1;
    }

    /** Skips white space and one byte, which must be there. */
    public void expect(char wanted) throws MalformedJson {
        if (next() != wanted) {
            throw unexpected("'" + wanted + "'");
        }
        pos++;
    }

    /** The error for the byte at the position. */
    public MalformedJson unexpected(String wanted) {
        if (pos >= end) {
            return new MalformedJson("it ends where " + wanted + " is expected", pos);
        }
        int b = buffer[pos] & 0xff;
        String found = b > ' ' && b < 0x7f ? "'" + (char) b + "'" : "byte 0x" + Integer.toHexString(b);
        return new MalformedJson(found + " stands where " + wanted + " is expected", pos);
    }

    /** Reads a string; the position must be at its opening quote. Returns the position of its closing quote. */
    public int string() throws MalformedJson {
        int from = pos;
        escaped = false;
        int at = from + 1;
        while (true) {
            at = special(at);
            if (at >= end) {
                throw new MalformedJson("the string that begins here is not closed", from);
            }
            byte b = buffer[at];
            if (b == '"') {
                pos = at + 1;
                return at;
            }
            if (b != '\\') {
                throw new MalformedJson(
                        "control character 0x" + Integer.toHexString(b) + " in a string must be written as an escape",
                        at);
            }
            escaped = true;
            at = afterEscape(at);
        }
    }

    /** Position of the next quote, backslash or control character, or the end. */
    private int special(int from) {
        int at = from;
        int lastWord = buffer.length - Long.BYTES;
        while (at < end && at <= lastWord) {
            long word = (long) LONG.get(buffer, at);
            // The third term finds bytes below a blank. Of each term, the lowest hit is exact.
            long hit = zeroBytes(word ^ QUOTES) | zeroBytes(word ^ BACKSLASHES) | ((word - SPACES) & ~word & HIGHS);
            if (hit != 0) {
                return Math.min(end, at + (Long.numberOfTrailingZeros(hit) >>> 3));
            }
            at += Long.BYTES;
        }
        while (at < end && buffer[at] != '"' && buffer[at] != '\\' && (buffer[at] < 0 || buffer[at] >= ' ')) {
            at++;
        }
        return Math.min(at, end);
    }

    /** High bits set at zero bytes of a word; only the lowest one can be relied upon. */
    private static long zeroBytes(long word) {
        return (word - ONES) & ~word & HIGHS;
    }

    private int afterEscape(int backslash) throws MalformedJson {
        if (backslash + 1 < end) {
            switch (buffer[backslash + 1]) {
                case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> {
                    return backslash + 2;
                }
                case 'u' -> {
                    if (backslash + 6 <= end && unit(backslash) >= 0) {
                        return backslash + 6;
                    }
                }
                default -> {}
            }
        }
        throw new MalformedJson("the backslash begins no escape of JSON", backslash);
    }

    /** The UTF-16 unit of the escape at a backslash; negative if it has no four hex digits. */
    private int unit(int backslash) {
        int value = 0;
        for (int i = backslash + 2; i < backslash + 6; i++) {
            int digit = Character.digit(buffer[i], 16);
            // A negative digit makes the value negative for good.
            value = digit < 0 ? -1 : value < 0 ? value : value << 4 | digit;
        }
        return value;
    }

    /**
     * Writes the text of a string that was read without error. It is at most as long as the string.
     *
     * @return position after the text in {@code out}
     * @throws MalformedJson for half a surrogate pair, which is no character
     */
    public int unescape(int from, int to, byte[] out, int offset) throws MalformedJson {
        int at = from;
        int written = offset;
        while (at < to) {
            byte b = buffer[at];
            if (b != '\\') {
                out[written++] = b;
                at++;
                continue;
            }
            byte kind = buffer[at + 1];
            if (kind != 'u') {
                out[written++] = simple(kind);
                at += 2;
                continue;
            }
            int codePoint = unit(at);
            int next = at + 6;
            if (Character.isSurrogate((char) codePoint)) {
                boolean pair = Character.isHighSurrogate((char) codePoint)
                        && next + 6 <= to
                        && buffer[next] == '\\'
                        && buffer[next + 1] == 'u'
                        && Character.isLowSurrogate((char) unit(next));
                if (!pair) {
                    throw new MalformedJson("the escape is half a character: one surrogate without the other", at);
                }
                codePoint = Character.toCodePoint((char) codePoint, (char) unit(next));
                next += 6;
            }
            written = encode(codePoint, out, written);
            at = next;
        }
        return written;
    }

    private static byte simple(byte kind) {
        return switch (kind) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> kind;
        };
    }

    private static int encode(int codePoint, byte[] out, int offset) {
        int at = offset;
        if (codePoint < 0x80) {
            out[at++] = (byte) codePoint;
        } else if (codePoint < 0x800) {
            out[at++] = (byte) (0xc0 | codePoint >> 6);
            out[at++] = (byte) (0x80 | (codePoint & 0x3f));
        } else if (codePoint < 0x10000) {
            out[at++] = (byte) (0xe0 | codePoint >> 12);
            out[at++] = (byte) (0x80 | (codePoint >> 6 & 0x3f));
            out[at++] = (byte) (0x80 | (codePoint & 0x3f));
        } else {
            out[at++] = (byte) (0xf0 | codePoint >> 18);
            out[at++] = (byte) (0x80 | (codePoint >> 12 & 0x3f));
            out[at++] = (byte) (0x80 | (codePoint >> 6 & 0x3f));
            out[at++] = (byte) (0x80 | (codePoint & 0x3f));
        }
        return at;
    }

    /** Reads true, false, null or a number, and moves behind it. */
    public void scalar() throws MalformedJson {
        switch (pos < end ? buffer[pos] : 0) {
            case 't' -> word(TRUE);
            case 'f' -> word(FALSE);
            case 'n' -> word(NULL);
            default -> number();
        }
    }

    private void word(byte[] wanted) throws MalformedJson {
        for (int i = 0; i < wanted.length; i++) {
            if (pos + i >= end || buffer[pos + i] != wanted[i]) {
                throw unexpected("a value");
            }
        }
        pos += wanted.length;
    }

    private void number() throws MalformedJson {
        int at = pos;
        if (at < end && buffer[at] == '-') {
            at++;
        }
        int digits = at;
        at = digitsEnd(at);
        if (at == digits) {
            throw unexpected("a value");
        }
        if (buffer[digits] == '0' && at > digits + 1) {
            throw new MalformedJson("a number has leading zeros", digits);
        }
        if (at < end && buffer[at] == '.') {
            at = digits(at + 1);
        }
        if (at < end && (buffer[at] == 'e' || buffer[at] == 'E')) {
            boolean sign = at + 1 < end && (buffer[at + 1] == '+' || buffer[at + 1] == '-');
            at = digits(at + (sign ? 2 : 1));
        }
        pos = at;
    }

    private int digits(int from) throws MalformedJson {
        int to = digitsEnd(from);
        if (to == from) {
            pos = from;
            throw unexpected("a digit");
        }
        return to;
    }

    private int digitsEnd(int from) {
        int at = from;
        while (at < end && buffer[at] >= '0' && buffer[at] <= '9') {
            at++;
        }
        return at;
    }

    /**
     * Skips a value of any kind; the position must be at its first byte.
     *
     * @param depth number of objects and arrays around it
     */
    public void skip(int depth) throws MalformedJson {
        int first = next();
        if (first == '"') {
            string();
        } else if (first == '{' || first == '[') {
            enter(depth);
            boolean object = first == '{';
            char close = object ? '}' : ']';
            pos++;
            if (next() == close) {
                pos++;
                return;
            }
            do {
                if (object) {
                    if (next() != '"') {
                        throw unexpected("a member's name");
                    }
                    string();
                    expect(':');
                }
                skip(depth + 1);
            } while (more(close));
        } else {
            scalar();
        }
    }

    /** Checks the depth of an object or array that is about to be read. */
    public void enter(int depth) throws MalformedJson {
        if (depth >= MAX_DEPTH) {
            throw new MalformedJson("objects and arrays are nested more than " + MAX_DEPTH + " deep", pos);
        }
    }

    /** Moves past a comma or a closing bracket; true for a comma. */
    public boolean more(char close) throws MalformedJson {
        int b = next();
        if (b == ',' || b == close) {
            pos++;
            return b == ',';
        }
        throw unexpected("',' or '" + close + "'");
    }
}
