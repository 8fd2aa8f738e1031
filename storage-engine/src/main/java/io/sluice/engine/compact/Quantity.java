package io.sluice.engine.compact;

import java.util.Locale;

/** Formats amounts for people. */
final class Quantity {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Quantity() {}

    /** Three digits at most, and a binary unit: {@code 512 B}, {@code 1.5 MiB}. */
    static String bytes(long bytes) {
        double amount = bytes;
        int unit = 0;
        while (amount >= 1024 && unit < UNITS.length - 1) {
            amount /= 1024;
            unit++;
        }
        String digits = amount == Math.rint(amount) || amount >= 100 ? "%.0f %s" : "%.1f %s";
        return String.format(Locale.ROOT, digits, amount, UNITS[unit]);
    }
}
