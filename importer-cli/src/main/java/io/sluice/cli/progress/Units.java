package io.sluice.cli.progress;

import java.util.Locale;

/** Quantities as people read them: three digits or so, decimal units. */
public final class Units {
    private static final String[] BYTES = {"B", "kB", "MB", "GB", "TB", "PB"};
    private static final String[] COUNTS = {"", "k", "M", "G", "T", "P"};
    private static final int STEP = 1000;

    private Units() {}

    /** Bytes with a decimal unit: {@code 306 MB}. */
    public static String bytes(double bytes) {
        return scaled(bytes, BYTES, " ");
    }

    /** A count, shortened from a thousand on: {@code 1.25M}. */
    public static String count(double count) {
        return scaled(count, COUNTS, "");
    }

    /** A number of things, with its noun: {@code 1 row}, {@code 1,234 rows}. */
    public static String number(long count, String noun) {
        return format("%,d %s", count, count == 1 ? noun : noun + "s");
    }

    /** As {@link #number}, without commas in the number: {@code 1234 rows}. */
    public static String plain(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /** A duration: {@code 0.84 s}, {@code 12.3 s}, {@code 3:07}, {@code 2:03:07}. */
    public static String seconds(double seconds) {
        if (seconds < 10) {
            return format("%.2f s", seconds);
        }
        if (seconds < 60) {
            return format("%.1f s", seconds);
        }
        return clock(seconds);
    }

    /** A remaining time, in whole seconds: {@code 0:42}. */
    public static String clock(double seconds) {
        long whole = Math.round(seconds);
        long hours = whole / 3600;
        long minutes = whole / 60 % 60;
        return hours > 0 ? format("%d:%02d:%02d", hours, minutes, whole % 60) : format("%d:%02d", minutes, whole % 60);
    }

    private static String scaled(double value, String[] units, String gap) {
        int unit = 0;
        double rest = value;
        // 999.5 would be printed as 1000.
        while (rest >= STEP - 0.5 && unit < units.length - 1) {
            rest /= STEP;
            unit++;
        }
        int decimals = unit == 0 || rest >= 99.95 ? 0 : rest >= 9.995 ? 1 : 2;
        return format("%." + decimals + "f", rest) + gap + units[unit];
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
