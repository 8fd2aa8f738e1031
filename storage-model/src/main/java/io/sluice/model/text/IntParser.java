package io.sluice.model.text;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import org.jspecify.annotations.Nullable;

/** Parses integers: an optional sign and decimal digits, within the type's range. */
final class IntParser implements DatumParser {
    /** 18 nines are below 2^63, so 18 digits cannot overflow a long. */
    private static final int SAFE_DIGITS = 18;

    private final long min;
    private final long max;
    private final DatumProblem syntax;
    private final DatumProblem outOfRange;

    IntParser(ColumnType columnType) {
        String type = columnType.sql();
        min = columnType.minInt();
        max = columnType.maxInt();
        syntax = new DatumProblem(
                DatumProblem.Code.SYNTAX, type + " must be a whole number: an optional sign and decimal digits");
        outOfRange = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE, "out of range for " + type + ": must be " + min + " to " + max);
    }

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int at = Ascii.skipSpaces(buffer, from, to);
        int end = Ascii.trimEnd(buffer, at, to);
        if (at == end) {
            return syntax;
        }
        boolean negative = buffer[at] == '-';
        if (negative || buffer[at] == '+') {
            at++;
        }
        if (at == end || Ascii.digitsEnd(buffer, at, end) != end) {
            return syntax;
        }
        while (end - at > SAFE_DIGITS && buffer[at] == '0') {
            at++;
        }
        // Accumulated as a negative number, because the smallest long has no positive counterpart.
        long value = 0;
        int safeEnd = Math.min(end, at + SAFE_DIGITS);
        for (; at < safeEnd; at++) {
            value = value * 10 - (buffer[at] - '0');
        }
        for (; at < end; at++) {
            int digit = buffer[at] - '0';
            if (value < (Long.MIN_VALUE + digit) / 10) {
                return outOfRange;
            }
            value = value * 10 - digit;
        }
        if (!negative) {
            if (value == Long.MIN_VALUE) {
                return outOfRange;
            }
            value = -value;
        }
        if (value < min || value > max) {
            return outOfRange;
        }
        row.setLong(column, value);
        return null;
    }
}
