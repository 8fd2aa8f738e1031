package io.sluice.model.text;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import org.jspecify.annotations.Nullable;

/** Parses TIMETZ: a time of day and an offset from UTC, which is UTC if it is missing. */
final class TimetzParser implements DatumParser {
    private final int precision;
    private final DatumProblem syntax;
    private final DatumProblem outOfRange;

    TimetzParser(ColumnType type) {
        precision = type.precision();
        syntax = new DatumProblem(
                DatumProblem.Code.SYNTAX,
                type.sql()
                        + " must be hh:mm, hh:mm:ss or hh:mm:ss.ffffff, optionally with Z, +hh, +hh:mm or +hh:mm:ss");
        outOfRange = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE, "out of range for " + type.sql() + ": must be 00:00:00 to 24:00:00");
    }

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int start = Ascii.skipSpaces(buffer, from, to);
        int end = Ascii.trimEnd(buffer, start, to);
        int timeEnd = TimeParser.end(buffer, start, end);
        long micros = TimeParser.micros(buffer, start, timeEnd, precision);
        int offset = TimestampParser.offsetSeconds(buffer, Ascii.skipSpaces(buffer, timeEnd, end), end);
        if (micros == TimeParser.NOT_A_TIME || offset == TimestampParser.NOT_AN_OFFSET) {
            return syntax;
        }
        if (micros < 0) {
            return outOfRange;
        }
        row.setTimetz(column, micros, -offset);
        return null;
    }
}
