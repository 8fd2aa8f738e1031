package io.sluice.cli.output;

/**
 * Text of others as a terminal may show it. Records of an input, names in a schema and labels of other people's jobs
 * come with whatever bytes they have, and terminals obey some of those.
 */
public final class Printable {
    private Printable() {}

    /** The text with control characters spelled out, but for line feeds. */
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
