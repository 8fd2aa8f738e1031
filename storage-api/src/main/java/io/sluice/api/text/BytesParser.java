package io.sluice.api.text;

import io.sluice.api.row.Row;
import io.sluice.api.schema.ColumnType;
import org.jspecify.annotations.Nullable;

/** Reads BYTES in hex format, {@code \x} and two hex digits per byte, into the row's scratch room. */
final class BytesParser implements DatumParser {
    private final int maxBytes;
    private final DatumProblem syntax;
    private final DatumProblem tooLong;

    BytesParser(ColumnType type) {
        maxBytes = type.maxLength() == 0 ? Integer.MAX_VALUE : type.maxLength();
        syntax = new DatumProblem(
                DatumProblem.Code.SYNTAX, type.sql() + " must be \\x followed by two hex digits for each byte");
        tooLong = new DatumProblem(
                DatumProblem.Code.TOO_LONG, "too long for " + type.sql() + ": at most " + maxBytes + " bytes");
    }

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int digits = to - from - 2;
        if (digits < 0 || (digits & 1) != 0 || buffer[from] != '\\' || (buffer[from + 1] | 0x20) != 'x') {
            return syntax;
        }
        int length = digits / 2;
        if (length > maxBytes) {
            return tooLong;
        }
        int offset = row.scratch(length);
        byte[] scratch = row.scratchBuffer();
        int at = from + 2;
        for (int i = 0; i < length; i++, at += 2) {
            int value = Ascii.hex(buffer[at]) << 4 | Ascii.hex(buffer[at + 1]);
            // Either half is -1 when it is no digit, and so is then the whole.
            if (value < 0) {
                return syntax;
            }
            scratch[offset + i] = (byte) value;
        }
        row.setBytes(column, scratch, offset, length);
        return null;
    }
}
