package io.sluice.model.text;

import io.sluice.model.row.Row;
import org.jspecify.annotations.Nullable;

/** Parses DATE: {@code yyyy-mm-dd} with an optional {@code BC}, infinity and -infinity. */
final class DateParser implements DatumParser {
    /** The text is not a date. Less than every valid day. */
    static final long NOT_A_DATE = Long.MIN_VALUE;
    /** The text is a date that does not exist, such as February 30. */
    static final long NO_SUCH_DAY = Long.MIN_VALUE + 1;
    /** 4714-11-24 BC, Julian day 0: PostgreSQL's first day. */
    static final long MIN_DAY = -2_440_588;

    private static final int MIN_YEAR_DIGITS = 4;
    /** Maximum number of year digits without leading zeros; the last year of DATE is 5874897. */
    private static final int MAX_YEAR_DIGITS = 7;
    /** Days of 400 years, after which the calendar repeats. */
    private static final int ERA_DAYS = 146_097;
    /** Days from 0000-03-01 to 1970-01-01. */
    private static final int EPOCH_DAYS = 719_468;

    static final long INFINITY = Long.MAX_VALUE;
    static final long MINUS_INFINITY = Long.MIN_VALUE;

    /** 5874897-12-31, the last day whose Julian day number fits 31 bits; PostgreSQL's limit. */
    private static final long MAX_DAY = 2_145_042_905;

    private static final DatumProblem SYNTAX =
            new DatumProblem(DatumProblem.Code.SYNTAX, "DATE must be yyyy-mm-dd, or infinity or -infinity");
    private static final DatumProblem OUT_OF_RANGE = new DatumProblem(
            DatumProblem.Code.OUT_OF_RANGE,
            "out of range for DATE: must be a day of the calendar from 4714-11-24 BC to 5874897-12-31");

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int start = Ascii.skipSpaces(buffer, from, to);
        int end = Ascii.trimEnd(buffer, start, to);
        int infinity = Ascii.infinitySign(buffer, start, end);
        if (infinity != 0) {
            row.setLong(column, infinity > 0 ? INFINITY : MINUS_INFINITY);
            return null;
        }
        int dateEnd = eraStart(buffer, start, end);
        long day = parse(buffer, start, dateEnd, dateEnd != end);
        if (day == NOT_A_DATE) {
            return SYNTAX;
        }
        if (day < MIN_DAY || day > MAX_DAY) {
            return OUT_OF_RANGE;
        }
        row.setLong(column, day);
        return null;
    }

    /** Position after a run of digits and hyphens, which form a date. */
    static int end(byte[] buffer, int from, int to) {
        int at = from;
        while (at < to && (Ascii.isDigit(buffer[at]) || buffer[at] == '-')) {
            at++;
        }
        return at;
    }

    /** Position of the text's end without its era: {@code to} unless it ends with a space and {@code BC}. */
    static int eraStart(byte[] buffer, int from, int to) {
        if (to - from > 3 && Ascii.isSpace(buffer[to - 3]) && Ascii.isWord(buffer, to - 2, to, "bc")) {
            return Ascii.trimEnd(buffer, from, to - 3);
        }
        return to;
    }

    /**
     * Parses a date with four or more year digits.
     *
     * @param beforeChrist whether the year counts backwards from 1 BC, which is the year 0 of astronomers
     * @return days since 1970-01-01, {@link #NOT_A_DATE} or {@link #NO_SUCH_DAY}
     */
    static long parse(byte[] buffer, int from, int to, boolean beforeChrist) {
        int yearEnd = Ascii.digitsEnd(buffer, from, to);
        if (yearEnd - from < MIN_YEAR_DIGITS
                || to - yearEnd != "-mm-dd".length()
                || buffer[yearEnd] != '-'
                || buffer[yearEnd + 3] != '-') {
            return NOT_A_DATE;
        }
        int month = twoDigits(buffer, yearEnd + 1);
        int day = twoDigits(buffer, yearEnd + 4);
        if (month < 0 || day < 0) {
            return NOT_A_DATE;
        }
        int at = from;
        while (yearEnd - at > MAX_YEAR_DIGITS && buffer[at] == '0') {
            at++;
        }
        if (yearEnd - at > MAX_YEAR_DIGITS) {
            return NO_SUCH_DAY;
        }
        int year = 0;
        for (; at < yearEnd; at++) {
            year = year * 10 + (buffer[at] - '0');
        }
        if (year == 0) {
            return NO_SUCH_DAY;
        }
        if (beforeChrist) {
            year = 1 - year;
        }
        if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) {
            return NO_SUCH_DAY;
        }
        return epochDay(year, month, day);
    }

    /** Parses two digits, or returns -1; the caller checks that two bytes exist. */
    static int twoDigits(byte[] buffer, int at) {
        return Ascii.isDigit(buffer[at]) && Ascii.isDigit(buffer[at + 1])
                ? (buffer[at] - '0') * 10 + (buffer[at + 1] - '0')
                : -1;
    }

    private static int daysIn(int year, int month) {
        return switch (month) {
            case 4, 6, 9, 11 -> 30;
            case 2 -> (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
            default -> 31;
        };
    }

    /**
     * Counts days with years that begin in March, so that the leap day is a year's last (H. Hinnant, "chrono-compatible
     * low-level date algorithms").
     */
    private static long epochDay(int year, int month, int day) {
        int marchYear = month <= 2 ? year - 1 : year;
        int era = Math.floorDiv(marchYear, 400);
        int yearOfEra = marchYear - era * 400;
        int monthFromMarch = (month + 9) % 12;
        // 153 days in any five months from March on: 31, 30, 31, 30, 31.
        int dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1;
        int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
        return (long) era * ERA_DAYS + dayOfEra - EPOCH_DAYS;
    }
}
