package io.sluice.model.text;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import org.jspecify.annotations.Nullable;

/**
 * Parses TIMESTAMP and TIMESTAMPTZ: a date, optionally a time after {@code T} or a space, optionally an offset from
 * UTC. The offset moves a TIMESTAMPTZ to UTC; in a TIMESTAMP it must be well-formed and is then ignored, as PostgreSQL
 * does.
 */
final class TimestampParser implements DatumParser {
    /** Infinity is the last valid microsecond: 294276-12-31 23:59:59.999999, the end of PostgreSQL's range. */
    static final long INFINITY_SECONDS = 9_224_318_015_999L;

    static final int INFINITY_NANOS = 999_999_000;

    /** Minus infinity is the first valid second: 4714-11-24 BC. */
    static final long MINUS_INFINITY_SECONDS = DateParser.MIN_DAY * 86_400;

    static final int NOT_AN_OFFSET = Integer.MIN_VALUE;

    /** PostgreSQL's limit, well beyond the 14 hours in use. */
    private static final int MAX_OFFSET_HOURS = 15;

    private final int precision;
    private final boolean zoned;
    private final DatumProblem syntax;
    private final DatumProblem outOfRange;

    TimestampParser(ColumnType type) {
        precision = type.precision();
        zoned = type.kind() == TypeKind.TIMESTAMPTZ;
        syntax = new DatumProblem(
                DatumProblem.Code.SYNTAX,
                type.sql() + " must be yyyy-mm-dd or yyyy-mm-dd hh:mm:ss.ffffff"
                        + (zoned ? ", optionally with Z, +hh, +hh:mm, +hh:mm:ss or +hhmm" : "")
                        + ", or infinity or -infinity");
        outOfRange = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE,
                "out of range for " + type.sql()
                        + ": must be a time of a day of the calendar from 4714-11-24 BC to 294276-12-31");
    }

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int start = Ascii.skipSpaces(buffer, from, to);
        int textEnd = Ascii.trimEnd(buffer, start, to);
        int infinity = Ascii.infinitySign(buffer, start, textEnd);
        if (infinity != 0) {
            row.setTimestamp(
                    column,
                    infinity > 0 ? INFINITY_SECONDS : MINUS_INFINITY_SECONDS,
                    infinity > 0 ? INFINITY_NANOS : 0);
            return null;
        }

        int end = DateParser.eraStart(buffer, start, textEnd);
        int dateEnd = DateParser.end(buffer, start, end);
        long day = DateParser.parse(buffer, start, dateEnd, end != textEnd);
        if (day == DateParser.NOT_A_DATE) {
            return syntax;
        }
        long micros = 0;
        int offsetSeconds = 0;
        if (dateEnd < end) {
            if (buffer[dateEnd] != ' ' && (buffer[dateEnd] | 0x20) != 't') {
                return syntax;
            }
            int timeEnd = TimeParser.end(buffer, dateEnd + 1, end);
            micros = TimeParser.micros(buffer, dateEnd + 1, timeEnd, precision);
            offsetSeconds = offsetSeconds(buffer, Ascii.skipSpaces(buffer, timeEnd, end), end);
            if (micros == TimeParser.NOT_A_TIME || offsetSeconds == NOT_AN_OFFSET) {
                return syntax;
            }
        }
        if (day == DateParser.NO_SUCH_DAY || micros == TimeParser.NO_SUCH_TIME) {
            return outOfRange;
        }

        long seconds = day * 86_400 + micros / TimeParser.MICROS_PER_SECOND;
        if (zoned) {
            seconds -= offsetSeconds;
        }
        if (seconds < MINUS_INFINITY_SECONDS || seconds > INFINITY_SECONDS) {
            return outOfRange;
        }
        row.setTimestamp(column, seconds, (int) (micros % TimeParser.MICROS_PER_SECOND) * 1_000);
        return null;
    }

    /**
     * Parses an empty text, Z, +hh, +hhmm, +hh:mm, +hhmmss or +hh:mm:ss, or the latter with a minus. PostgreSQL writes
     * seconds for times before a zone had whole minutes.
     */
    static int offsetSeconds(byte[] buffer, int from, int to) {
        int length = to - from;
        if (length == 0 || (length == 1 && (buffer[from] | 0x20) == 'z')) {
            return 0;
        }
        boolean west = buffer[from] == '-';
        if (!west && buffer[from] != '+') {
            return NOT_AN_OFFSET;
        }
        int colon = length > 3 && buffer[from + 3] == ':' ? 1 : 0;
        int parts = (length - 1 + colon) / (2 + colon);
        if (length != 1 + 2 * parts + colon * (parts - 1) || parts > 3) {
            return NOT_AN_OFFSET;
        }
        int hours = DateParser.twoDigits(buffer, from + 1);
        int minutes = parts < 2 ? 0 : DateParser.twoDigits(buffer, from + 3 + colon);
        int seconds = parts < 3 ? 0 : DateParser.twoDigits(buffer, from + 5 + 2 * colon);
        boolean colons = parts < 3 || colon == 0 || buffer[from + 6] == ':';
        if (!colons
                || hours < 0
                || hours > MAX_OFFSET_HOURS
                || minutes < 0
                || minutes > 59
                || seconds < 0
                || seconds > 59) {
            return NOT_AN_OFFSET;
        }
        int whole = (hours * 60 + minutes) * 60 + seconds;
        return west ? -whole : whole;
    }
}
