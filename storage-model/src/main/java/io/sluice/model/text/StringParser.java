package io.sluice.model.text;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import org.jspecify.annotations.Nullable;

/** Parses STRING: checks UTF-8 and the maximum length, and points the slot into the buffer. */
final class StringParser implements DatumParser {
    private final int maxCodePoints;
    private final String name;
    private final DatumProblem tooLong;

    StringParser(ColumnType type) {
        maxCodePoints = type.maxLength() == 0 ? Integer.MAX_VALUE : type.maxLength();
        name = type.sql();
        tooLong = new DatumProblem(
                DatumProblem.Code.TOO_LONG, "too long for " + name + ": at most " + maxCodePoints + " characters");
    }

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int codePoints = Utf8.codePoints(buffer, from, to);
        if (codePoints < 0) {
            return new DatumProblem(
                    DatumProblem.Code.BAD_UTF8,
                    name + " must be UTF-8: byte " + -codePoints + " of the value begins no valid character");
        }
        if (codePoints > maxCodePoints) {
            return tooLong;
        }
        row.setBytes(column, buffer, from, to - from);
        return null;
    }
}
