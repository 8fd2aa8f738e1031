package io.sluice.model.text;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import org.jspecify.annotations.Nullable;

/**
 * Parses TIME: {@code hh:mm[:ss[.f]]} up to 24:00:00, rounded to the column's precision. For TIMETZ an offset from UTC
 * follows, which is UTC if it is missing.
 */
final class TimeParser implements DatumParser {
    /** The text is not a time of day. */
    static final long NOT_A_TIME = -1;
    /** The text is a time that does not exist, such as 25:00. */
    static final long NO_SUCH_TIME = -2;

    static final long MICROS_PER_SECOND = 1_000_000;
    static final long MICROS_PER_DAY = 24 * 3600 * MICROS_PER_SECOND;
    /** Microseconds per unit of the last kept fraction digit, by precision. */
    private static final int[] UNIT_MICROS = {1_000_000, 100_000, 10_000, 1_000, 100, 10, 1};

    private final int precision;
    private final boolean zoned;
    private final DatumProblem syntax;
    private final DatumProblem outOfRange;

    TimeParser(ColumnType type) {
        precision = type.precision();
        zoned = type.kind() == TypeKind.TIMETZ;
        syntax = new DatumProblem(
                DatumProblem.Code.SYNTAX,
                type.sql() + " must be hh:mm, hh:mm:ss or hh:mm:ss.ffffff"
                        + (zoned ? ", optionally with Z, +hh, +hh:mm or +hh:mm:ss" : ""));
        outOfRange = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE, "out of range for " + type.sql() + ": must be 00:00:00 to 24:00:00");
    }

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int start = Ascii.skipSpaces(buffer, from, to);
        int end = Ascii.trimEnd(buffer, start, to);
        int timeEnd = zoned ? end(buffer, start, end) : end;
        long micros = micros(buffer, start, timeEnd, precision);
        int offset = zoned ? TimestampParser.offsetSeconds(buffer, Ascii.skipSpaces(buffer, timeEnd, end), end) : 0;
        if (micros == NOT_A_TIME || offset == TimestampParser.NOT_AN_OFFSET) {
            return syntax;
        }
        if (micros < 0) {
            return outOfRange;
        }
        if (zoned) {
            row.setTimetz(column, micros, -offset);
        } else {
            row.setLong(column, micros);
        }
        return null;
    }

    /** Position after a run of digits, colons and points, which form a time. */
    static int end(byte[] buffer, int from, int to) {
        int at = from;
        while (at < to && (Ascii.isDigit(buffer[at]) || buffer[at] == ':' || buffer[at] == '.')) {
            at++;
        }
        return at;
    }

    /**
     * Parses a time of day, its fraction rounded to the nearest unit of the precision, halves upwards. 24:00:00 and,
     * for leap seconds, second 60 are times; both may come out as the end of the day.
     *
     * @param precision fraction digits to keep, 0 to 6
     * @return 0 to {@link #MICROS_PER_DAY}, {@link #NOT_A_TIME} or {@link #NO_SUCH_TIME}
     */
    static long micros(byte[] buffer, int from, int to, int precision) {
        int length = to - from;
        if (length < "hh:mm".length() || buffer[from + 2] != ':') {
            return NOT_A_TIME;
        }
        int hour = DateParser.twoDigits(buffer, from);
        int minute = DateParser.twoDigits(buffer, from + 3);
        int second = 0;
        long fractionMicros = 0;
        if (length > "hh:mm".length()) {
            if (length < "hh:mm:ss".length() || buffer[from + 5] != ':') {
                return NOT_A_TIME;
            }
            second = DateParser.twoDigits(buffer, from + 6);
            if (length > "hh:mm:ss".length()) {
                fractionMicros = fraction(buffer, from + 8, to, precision);
            }
        }
        if (hour < 0 || minute < 0 || second < 0 || fractionMicros < 0) {
            return NOT_A_TIME;
        }
        if (hour > 24 || minute > 59 || second > 60) {
            return NO_SUCH_TIME;
        }
        long micros = ((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND + fractionMicros;
        return micros <= MICROS_PER_DAY ? micros : NO_SUCH_TIME;
    }

    private static long fraction(byte[] buffer, int from, int to, int precision) {
        int digits = from + 1;
        if (buffer[from] != '.' || digits == to || Ascii.digitsEnd(buffer, digits, to) != to) {
            return NOT_A_TIME;
        }
        int kept = Math.min(to - digits, precision);
        long micros = 0;
        for (int i = 0; i < kept; i++) {
            micros += (long) (buffer[digits + i] - '0') * UNIT_MICROS[i + 1];
        }
        boolean roundUp = digits + precision < to && buffer[digits + precision] >= '5';
        return roundUp ? micros + UNIT_MICROS[precision] : micros;
    }
}
