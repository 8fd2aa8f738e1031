package io.sluice.cli.output;

/**
 * Escapes untrusted text for a terminal. Records, schema names and job labels may contain control sequences, which a
 * terminal would execute.
 */
public final class Printable {
    private Printable() {}

    /** Escapes control characters except line feeds. */
    public static String text(String text) {
        return spelled(text, true);
    }

    /** The same on one line. */
    public static String line(String text) {
        return spelled(text, false);
    }

    private static String spelled(String text, boolean lines) {
        StringBuilder shown = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!Character.isISOControl(c) || (lines && c == '\n')) {
                shown.append(c);
            } else {
                shown.append(c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : hex(c));
            }
        }
        return shown.toString();
    }

    private static String hex(char c) {
        return String.format("\\x%02x", (int) c);
    }
}
