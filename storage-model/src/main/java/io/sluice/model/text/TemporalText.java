package io.sluice.model.text;

import java.time.LocalDate;

/** Formats dates, times and timestamps as PostgreSQL does with its ISO date style. */
final class TemporalText {
    private static final String BEFORE_CHRIST = " BC";
    private static final int SECONDS_PER_DAY = 86_400;

    private TemporalText() {}

    static String date(long epochDay) {
        if (epochDay == DateParser.INFINITY) {
            return "infinity";
        }
        if (epochDay == DateParser.MINUS_INFINITY) {
            return "-infinity";
        }
        LocalDate date = LocalDate.ofEpochDay(epochDay);
        StringBuilder text = new StringBuilder();
        appendDate(text, date);
        return text.append(era(date)).toString();
    }

    static String time(long micros) {
        StringBuilder text = new StringBuilder();
        appendTime(text, (int) (micros / ClockTime.MICROS_PER_SECOND), (int) (micros % ClockTime.MICROS_PER_SECOND));
        return text.toString();
    }

    /** Formats a timestamp; the first and the last valid timestamps represent the infinities. */
    static String timestamp(long seconds, int nanos, String offset) {
        if (seconds == TimestampParser.INFINITY_SECONDS && nanos == TimestampParser.INFINITY_NANOS) {
            return "infinity";
        }
        if (seconds == TimestampParser.MINUS_INFINITY_SECONDS && nanos == 0) {
            return "-infinity";
        }
        LocalDate date = LocalDate.ofEpochDay(Math.floorDiv(seconds, SECONDS_PER_DAY));
        StringBuilder text = new StringBuilder();
        appendDate(text, date);
        text.append(' ');
        appendTime(text, Math.floorMod(seconds, SECONDS_PER_DAY), nanos / 1_000);
        return text.append(offset).append(era(date)).toString();
    }

    private static void appendDate(StringBuilder text, LocalDate date) {
        int year = date.getYear() > 0 ? date.getYear() : 1 - date.getYear();
        appendPadded(text, year, 4);
        appendPadded(text.append('-'), date.getMonthValue(), 2);
        appendPadded(text.append('-'), date.getDayOfMonth(), 2);
    }

    private static String era(LocalDate date) {
        return date.getYear() > 0 ? "" : BEFORE_CHRIST;
    }

    private static void appendTime(StringBuilder text, int secondOfDay, int micros) {
        appendPadded(text, secondOfDay / 3600, 2);
        appendPadded(text.append(':'), secondOfDay / 60 % 60, 2);
        appendPadded(text.append(':'), secondOfDay % 60, 2);
        if (micros != 0) {
            appendPadded(text.append('.'), micros, 6);
            while (text.charAt(text.length() - 1) == '0') {
                text.setLength(text.length() - 1);
            }
        }
    }

    private static void appendPadded(StringBuilder text, int value, int width) {
        String digits = Integer.toString(value);
        text.append("0".repeat(Math.max(0, width - digits.length()))).append(digits);
    }
}
