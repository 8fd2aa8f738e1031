package io.sluice.model.text;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import org.jspecify.annotations.Nullable;

/** Parses TIME: {@code hh:mm[:ss[.f]]} up to 24:00:00, rounded to the column's precision. */
final class TimeParser implements DatumParser {
    private final int precision;
    private final DatumProblem syntax;
    private final DatumProblem outOfRange;

    TimeParser(ColumnType type) {
        precision = type.precision();
        syntax = new DatumProblem(DatumProblem.Code.SYNTAX, type.sql() + " must be hh:mm, hh:mm:ss or hh:mm:ss.ffffff");
        outOfRange = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE, "out of range for " + type.sql() + ": must be 00:00:00 to 24:00:00");
    }

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int start = Ascii.skipSpaces(buffer, from, to);
        int end = Ascii.trimEnd(buffer, start, to);
        long micros = ClockTime.parse(buffer, start, end, precision);
        if (micros < 0) {
            return micros == ClockTime.NOT_A_TIME ? syntax : outOfRange;
        }
        row.setLong(column, micros);
        return null;
    }
}
