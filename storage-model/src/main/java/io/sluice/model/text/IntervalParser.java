package io.sluice.model.text;

import io.sluice.model.row.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses INTERVAL in the styles of PostgreSQL: numbers with units ({@code 1 year 2 mons -3 days 04:05:06.7}, {@code @ 1
 * hour ago}), the SQL standard ({@code 1-2 3 4:05:06}) and ISO 8601 ({@code P1Y2M3DT4H5M6S}). Fractions go to the
 * smaller units: of a year to months, of a month to days of 24 hours, 30 to the month.
 */
final class IntervalParser implements DatumParser {
    static final long NANOS_PER_SECOND = 1_000_000_000;
    static final int MONTHS_PER_YEAR = 12;
    static final int DAYS_PER_MONTH = 30;
    static final long NANOS_PER_DAY = 86_400 * NANOS_PER_SECOND;
    private static final int NANOS_PER_MICRO = 1_000;
    private static final int FRACTION_DIGITS = 9;
    private static final DatumProblem SYNTAX = new DatumProblem(
            DatumProblem.Code.SYNTAX,
            "INTERVAL must be numbers with units, such as 1 year 2 mons 3 days 04:05:06, or as P1Y2M3DT4H5M6S");
    private static final DatumProblem OUT_OF_RANGE = new DatumProblem(
            DatumProblem.Code.OUT_OF_RANGE,
            "out of range for INTERVAL: must be within 292 years of 360 days, the range of its keys");

    /**
     * A unit.
     *
     * @param letter the letter by which the scan knows it
     * @param names its names in lower case
     */
    private record Unit(int letter, List<String> names) {}

    private static final List<Unit> UNITS = List.of(
            new Unit('k', List.of("millennium", "millennia", "mil", "mils")),
            new Unit('c', List.of("century", "centuries", "cent", "c")),
            new Unit('e', List.of("decade", "decades", "dec", "decs")),
            new Unit('y', List.of("year", "years", "y", "yr", "yrs")),
            new Unit('m', List.of("mon", "mons", "month", "months")),
            new Unit('w', List.of("week", "weeks", "w")),
            new Unit('d', List.of("day", "days", "d")),
            new Unit('h', List.of("hour", "hours", "h", "hr", "hrs")),
            new Unit('i', List.of("minute", "minutes", "min", "mins", "m")),
            new Unit('s', List.of("second", "seconds", "sec", "secs", "s")),
            new Unit('l', List.of("millisecond", "milliseconds", "msec", "msecs", "ms")),
            new Unit('u', List.of("microsecond", "microseconds", "usec", "usecs", "us")));

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int start = Ascii.skipSpaces(buffer, from, to);
        Scan scan = new Scan(buffer, start, Ascii.trimEnd(buffer, start, to));
        try {
            boolean iso = start < scan.end && (buffer[start] | 0x20) == 'p';
            boolean valid = iso ? scan.iso() : scan.words();
            if (!valid) {
                return SYNTAX;
            }
            long micros = Math.floorDiv(Math.addExact(scan.nanos, NANOS_PER_MICRO / 2), NANOS_PER_MICRO);
            int months = Math.toIntExact(scan.months);
            int days = Math.toIntExact(scan.days);
            long nanos = Math.multiplyExact(micros, NANOS_PER_MICRO);
            sortNanos(months, days, nanos);
            row.setInterval(column, months, days, nanos);
            return null;
        } catch (ArithmeticException e) {
            return OUT_OF_RANGE;
        }
    }

    private static long sortNanos(int months, int days, long nanos) {
        return Math.addExact(Math.multiplyExact((long) months * DAYS_PER_MONTH + days, NANOS_PER_DAY), nanos);
    }

    /** The parts found so far, and the position behind them. */
    private static final class Scan {
        final byte[] buffer;
        final int end;
        int at;
        long months;
        long days;
        long nanos;
        /** The number read last: its whole part, its fraction in units of 10^-9, and its sign. */
        private long whole;

        private long fraction;
        private int sign;

        Scan(byte[] buffer, int at, int end) {
            this.buffer = buffer;
            this.at = at;
            this.end = end;
        }

        boolean words() {
            boolean any = false;
            boolean ago = false;
            boolean wantsTime = false;
            if (at < end && buffer[at] == '@') {
                at++;
            }
            for (skipSpaces(); at < end; skipSpaces()) {
                if (ago) {
                    return false;
                }
                if (any && isUnit("ago")) {
                    ago = true;
                    continue;
                }
                if (!number()) {
                    return false;
                }
                any = true;
                if (at < end && buffer[at] == ':') {
                    if (!time()) {
                        return false;
                    }
                    wantsTime = false;
                } else if (wantsTime) {
                    return false;
                } else if (at < end && buffer[at] == '-' && fraction == 0) {
                    if (!yearMonth()) {
                        return false;
                    }
                } else {
                    skipSpaces();
                    if (at == end || !isLetter()) {
                        // In the SQL standard a number alone is of days before a time, of seconds at the end.
                        wantsTime = at < end;
                        add(wantsTime ? 'd' : 's');
                    } else if (!unit()) {
                        return false;
                    }
                }
            }
            if (ago) {
                months = -months;
                days = -days;
                nanos = -nanos;
            }
            return any;
        }

        boolean iso() {
            at++;
            boolean time = false;
            boolean any = false;
            while (at < end) {
                if ((buffer[at] | 0x20) == 't' && !time) {
                    time = true;
                    at++;
                    continue;
                }
                if (!number() || at == end) {
                    return false;
                }
                int letter = buffer[at++] | 0x20;
                switch (letter) {
                    case 'y', 'w', 'd' -> {
                        if (time) {
                            return false;
                        }
                        add(letter);
                    }
                    case 'm' -> add(time ? 'i' : 'm');
                    case 'h', 's' -> {
                        if (!time) {
                            return false;
                        }
                        add(letter);
                    }
                    default -> {
                        return false;
                    }
                }
                any = true;
            }
            return any;
        }

        private void skipSpaces() {
            at = Ascii.skipSpaces(buffer, at, end);
        }

        private boolean isLetter() {
            int letter = buffer[at] | 0x20;
            return letter >= 'a' && letter <= 'z';
        }

        private boolean isUnit(String word) {
            int to = at;
            while (to < end && (buffer[to] | 0x20) >= 'a' && (buffer[to] | 0x20) <= 'z') {
                to++;
            }
            if (!Ascii.isWord(buffer, at, to, word)) {
                return false;
            }
            at = to;
            return true;
        }

        private boolean number() {
            sign = 1;
            if (buffer[at] == '-' || buffer[at] == '+') {
                sign = buffer[at++] == '-' ? -1 : 1;
            }
            int digits = at;
            whole = 0;
            for (; at < end && Ascii.isDigit(buffer[at]); at++) {
                whole = Math.addExact(Math.multiplyExact(whole, 10), buffer[at] - '0');
            }
            int found = at - digits;
            fraction = 0;
            if (at < end && buffer[at] == '.') {
                int point = ++at;
                for (; at < end && Ascii.isDigit(buffer[at]); at++) {
                    if (at - point < FRACTION_DIGITS) {
                        fraction = fraction * 10 + (buffer[at] - '0');
                    }
                }
                for (int i = at - point; i < FRACTION_DIGITS; i++) {
                    fraction *= 10;
                }
                found += at - point;
            }
            return found > 0;
        }

        /** Reads the rest of hh:mm[:ss[.f]], whose hours are the number read last. */
        private boolean time() {
            int timeSign = sign;
            if (fraction != 0) {
                return false;
            }
            sign = timeSign;
            add('h');
            for (char part : new char[] {'i', 's'}) {
                if (at == end || buffer[at] != ':') {
                    return part == 's';
                }
                at++;
                int digits = at;
                if (at == end
                        || !Ascii.isDigit(buffer[at])
                        || !number()
                        || whole >= 60
                        || (part == 'i' && fraction != 0)) {
                    return false;
                }
                if (at - digits < 2) {
                    return false;
                }
                sign = timeSign;
                add(part);
            }
            return true;
        }

        private boolean yearMonth() {
            int yearSign = sign;
            add('y');
            at++;
            if (at == end || !Ascii.isDigit(buffer[at]) || !number() || whole >= MONTHS_PER_YEAR || fraction != 0) {
                return false;
            }
            sign = yearSign;
            add('m');
            return true;
        }

        private boolean unit() {
            int to = at;
            while (to < end && (buffer[to] | 0x20) >= 'a' && (buffer[to] | 0x20) <= 'z') {
                to++;
            }
            int unit = unit(at, to);
            at = to;
            if (unit == 0) {
                return false;
            }
            add(unit);
            return true;
        }

        private int unit(int from, int to) {
            for (Unit unit : UNITS) {
                for (String name : unit.names()) {
                    if (Ascii.isWord(buffer, from, to, name)) {
                        return unit.letter();
                    }
                }
            }
            return 0;
        }

        private void add(int unit) {
            long count = sign * whole;
            long part = sign * fraction;
            switch (unit) {
                case 'k' -> addMonths(count, part, 1000 * MONTHS_PER_YEAR);
                case 'c' -> addMonths(count, part, 100 * MONTHS_PER_YEAR);
                case 'e' -> addMonths(count, part, 10 * MONTHS_PER_YEAR);
                case 'y' -> addMonths(count, part, MONTHS_PER_YEAR);
                case 'm' -> {
                    months = Math.addExact(months, count);
                    addDays(0, part * DAYS_PER_MONTH);
                }
                case 'w' -> addDays(Math.multiplyExact(count, 7), part * 7);
                case 'd' -> addDays(count, part);
                case 'h' -> addNanos(count, part, 3_600 * NANOS_PER_SECOND);
                case 'i' -> addNanos(count, part, 60 * NANOS_PER_SECOND);
                case 's' -> addNanos(count, part, NANOS_PER_SECOND);
                case 'l' -> addNanos(count, part, NANOS_PER_SECOND / 1_000);
                case 'u' -> addNanos(count, part, NANOS_PER_MICRO);
                default -> throw new AssertionError("unit " + (char) unit);
            }
        }

        private void addMonths(long count, long part, int unitMonths) {
            months = Math.addExact(months, Math.multiplyExact(count, unitMonths));
            // As in PostgreSQL, a fraction is rounded to whole months.
            months += Math.round((double) part * unitMonths / NANOS_PER_SECOND);
        }

        /** Adds days, and billionths of a day. */
        private void addDays(long count, long part) {
            days = Math.addExact(days, count + part / NANOS_PER_SECOND);
            nanos = Math.addExact(nanos, part % NANOS_PER_SECOND * 86_400);
        }

        private void addNanos(long count, long part, long unitNanos) {
            nanos = Math.addExact(nanos, Math.multiplyExact(count, unitNanos));
            nanos = Math.addExact(nanos, Math.multiplyExact(part, unitNanos / 1_000) / (NANOS_PER_SECOND / 1_000));
        }
    }

    /** Formats an interval as PostgreSQL does by default: {@code 1 year 2 mons -3 days +04:05:06.7}. */
    static String format(int months, int days, long nanos) {
        StringBuilder text = new StringBuilder();
        boolean negative = part(text, months / MONTHS_PER_YEAR, "year", false);
        negative = part(text, months % MONTHS_PER_YEAR, "mon", negative);
        negative = part(text, days, "day", negative);
        if (nanos != 0 || text.length() == 0) {
            text.append(text.length() == 0 ? "" : " ").append(nanos < 0 ? "-" : negative ? "+" : "");
            long micros = Math.abs(nanos / NANOS_PER_MICRO);
            long seconds = micros / 1_000_000;
            padded(text, seconds / 3_600, 2);
            padded(text.append(':'), seconds / 60 % 60, 2);
            padded(text.append(':'), seconds % 60, 2);
            if (micros % 1_000_000 != 0) {
                padded(text.append('.'), micros % 1_000_000, 6);
                while (text.charAt(text.length() - 1) == '0') {
                    text.setLength(text.length() - 1);
                }
            }
        }
        return text.toString();
    }

    /** Appends a part that is not 0; returns whether the last part was negative. */
    private static boolean part(StringBuilder text, int value, String unit, boolean negative) {
        if (value == 0) {
            return negative;
        }
        text.append(text.length() == 0 ? "" : " ").append(negative && value > 0 ? "+" : "");
        text.append(value).append(' ').append(unit).append(value == 1 ? "" : "s");
        return value < 0;
    }

    private static void padded(StringBuilder text, long value, int width) {
        String digits = Long.toString(value);
        text.append("0".repeat(Math.max(0, width - digits.length()))).append(digits);
    }
}
