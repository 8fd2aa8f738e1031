package io.sluice.model.text;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import org.jspecify.annotations.Nullable;

/**
 * Parses BYTES as PostgreSQL and CockroachDB do. Text that begins with {@code \x} is in hex format, two digits per
 * byte. Any other text is in escape format: {@code \\} is a backslash, a backslash and three octal digits are a byte,
 * and any other byte is literal. Only the first two characters select the format; the parser never falls back to the
 * other one.
 */
final class BytesParser implements DatumParser {
    private final int maxBytes;
    private final DatumProblem syntax;
    private final DatumProblem tooLong;

    BytesParser(ColumnType type) {
        maxBytes = type.maxLength() == 0 ? Integer.MAX_VALUE : type.maxLength();
        syntax = new DatumProblem(
                DatumProblem.Code.SYNTAX,
                type.sql()
                        + " must be \\x and two hex digits for each byte, or text in which \\\\ is a backslash and \\ooo,"
                        + " three octal digits up to \\377, is a byte");
        tooLong = new DatumProblem(
                DatumProblem.Code.TOO_LONG, "too long for " + type.sql() + ": at most " + maxBytes + " bytes");
    }

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        boolean hex = to - from >= 2 && buffer[from] == '\\' && (buffer[from + 1] | 0x20) == 'x';
        return hex ? hex(buffer, from + 2, to, row, column) : escaped(buffer, from, to, row, column);
    }

    private @Nullable DatumProblem hex(byte[] buffer, int from, int to, Row row, int column) {
        int digits = to - from;
        if ((digits & 1) != 0) {
            return syntax;
        }
        int length = digits / 2;
        if (length > maxBytes) {
            return tooLong;
        }
        int offset = row.scratch(length);
        byte[] scratch = row.scratchBuffer();
        int at = from;
        for (int i = 0; i < length; i++, at += 2) {
            int value = Ascii.hex(buffer[at]) << 4 | Ascii.hex(buffer[at + 1]);
            // Either half is -1 if it is not a digit, and then so is the whole.
            if (value < 0) {
                return syntax;
            }
            scratch[offset + i] = (byte) value;
        }
        row.setBytes(column, scratch, offset, length);
        return null;
    }

    private @Nullable DatumProblem escaped(byte[] buffer, int from, int to, Row row, int column) {
        int first = from;
        while (first < to && buffer[first] != '\\') {
            first++;
        }
        if (first == to) {
            row.setBytes(column, buffer, from, to - from);
            return to - from > maxBytes ? tooLong : null;
        }
        // The result is at most as long as the text; escapes leave bytes unused.
        int offset = row.scratch(to - from);
        byte[] scratch = row.scratchBuffer();
        int length = 0;
        int at = from;
        while (at < to) {
            if (buffer[at] != '\\') {
                scratch[offset + length++] = buffer[at++];
            } else if (at + 1 < to && buffer[at + 1] == '\\') {
                scratch[offset + length++] = '\\';
                at += 2;
            } else {
                int value = octal(buffer, at + 1, to);
                if (value < 0) {
                    return syntax;
                }
                scratch[offset + length++] = (byte) value;
                at += 4;
            }
        }
        row.setBytes(column, scratch, offset, length);
        return length > maxBytes ? tooLong : null;
    }

    /** The value of three octal digits, at most 377; -1 if there are none. */
    private static int octal(byte[] buffer, int at, int to) {
        if (at + 3 > to || buffer[at] > '3') {
            return -1;
        }
        int value = 0;
        for (int i = at; i < at + 3; i++) {
            if (buffer[i] < '0' || buffer[i] > '7') {
                return -1;
            }
            value = value * 8 + (buffer[i] - '0');
        }
        return value;
    }
}
