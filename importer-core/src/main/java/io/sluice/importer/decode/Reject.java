package io.sluice.importer.decode;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A record that is no row of the table. The array is not copied: do not change it.
 *
 * @param line line of the split in which the record begins, from 0; {@code RejectLog} turns it into the file's line
 * @param byteOffset where in the file the record begins
 * @param column name of the column that was wrong, or null when the record as a whole was
 * @param code what kind of problem, in lower case
 * @param message what is wrong
 * @param record the original bytes without the line end, at most {@link #MAX_RECORD_BYTES}
 */
@SuppressWarnings("ArrayRecordComponent")
public record Reject(long line, long byteOffset, @Nullable String column, String code, String message, byte[] record) {
    /** How much of a rejected record is kept. */
    public static final int MAX_RECORD_BYTES = 64 << 10;

    private static final int EXCERPT_CHARS = 60;

    /** The beginning of the record in a form that can be printed on one line. */
    public String excerpt() {
        return excerpt(new String(record, StandardCharsets.UTF_8));
    }

    /** The beginning of a text in a form that can be printed on one line. */
    static String excerpt(String text) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length() && i < EXCERPT_CHARS; i++) {
            char c = text.charAt(i);
            if (c == '\n') {
                out.append("\\n");
            } else if (c == '\r') {
                out.append("\\r");
            } else {
                out.append(Character.isISOControl(c) ? '\ufffd' : c);
            }
        }
        return text.length() > EXCERPT_CHARS ? out.append('…').toString() : out.toString();
    }
}
