package io.sluice.sql.query;

import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import java.util.Arrays;

/**
 * A pattern of LIKE: {@code %} stands for any text, {@code _} for one character, and a backslash before a character for
 * that character. Matching takes time of the order of the product of both lengths at most.
 */
final class LikePattern {
    private static final int ANY_TEXT = -1;
    private static final int ANY_CHARACTER = -2;

    /** Code points, and the two above. */
    private final int[] parts;

    LikePattern(String pattern) {
        int[] points = pattern.codePoints().toArray();
        int[] read = new int[points.length];
        int count = 0;
        for (int i = 0; i < points.length; i++) {
            if (points[i] == '\\') {
                i++;
                if (i == points.length) {
                    throw new StatementException(
                            SqlErrorCode.BAD_VALUE,
                            "the LIKE pattern '" + pattern + "' ends with a backslash; write two for one");
                }
                read[count++] = points[i];
            } else {
                read[count++] = points[i] == '%' ? ANY_TEXT : points[i] == '_' ? ANY_CHARACTER : points[i];
            }
        }
        parts = Arrays.copyOf(read, count);
    }

    boolean matches(String text) {
        int[] points = text.codePoints().toArray();
        int at = 0;
        int part = 0;
        int lastAny = -1;
        int resume = 0;
        while (at < points.length) {
            if (part < parts.length && (parts[part] == ANY_CHARACTER || parts[part] == points[at])) {
                at++;
                part++;
            } else if (part < parts.length && parts[part] == ANY_TEXT) {
                lastAny = part++;
                resume = at;
            } else if (lastAny >= 0) {
                // The last % takes one character more.
                part = lastAny + 1;
                at = ++resume;
            } else {
                return false;
            }
        }
        while (part < parts.length && parts[part] == ANY_TEXT) {
            part++;
        }
        return part == parts.length;
    }
}
