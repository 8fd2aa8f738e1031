package io.sluice.importer.decode;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A record that is no row of the table, of whatever format. The array is not copied: do not change it.
 *
 * @param unit what {@code line} counts
 * @param line line of the split in which the record begins, or its place among the split's rows, from 0;
 *     {@code RejectLog} turns it into the file's
 * @param records how many records are lost with it: one, or those of a block that cannot be read on
 * @param byteOffset where in the file the record begins, or what holds it
 * @param field the field that was wrong, from 1 in the order of the record; 0 when the record as a whole was
 * @param column name of the column that was wrong, or null when the record as a whole was
 * @param code what kind of problem, in lower case
 * @param message what is wrong
 * @param record the original bytes, without what separates it from the next record
 * @param cut whether the record was longer than the limit for one record, and {@code record} is only its beginning
 * @param rival the row whose key it has, for a row that is good in itself; or null
 */
@SuppressWarnings("ArrayRecordComponent")
public record Reject(
        Unit unit,
        long line,
        long records,
        long byteOffset,
        int field,
        @Nullable String column,
        String code,
        String message,
        byte[] record,
        boolean cut,
        @Nullable Rival rival) {
    /**
     * A row that holds the key of another one.
     *
     * @param index name of the index
     * @param key the key in words
     * @param file what holds it: an input, or the table
     * @param line line of that file, or number of the record, from 1; 0 where there is neither
     * @param byteOffset where in the file it begins; -1 in the table
     */
    public record Rival(String index, String key, String file, long line, long byteOffset) {}

    /** A record that is bad in itself. */
    public Reject(
            Unit unit,
            long line,
            long records,
            long byteOffset,
            int field,
            @Nullable String column,
            String code,
            String message,
            byte[] record,
            boolean cut) {
        this(unit, line, records, byteOffset, field, column, code, message, record, cut, null);
    }

    /** What the places of records are counted in. */
    public enum Unit {
        /** Lines of text, each of which may be a part of a record. */
        LINE,
        /** Records of a format that has no lines. */
        ROW;

        /** The unit's name in messages, and of its field in the rejects file. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** One record of text. */
    public Reject(
            long line,
            long byteOffset,
            int field,
            @Nullable String column,
            String code,
            String message,
            byte[] record,
            boolean cut) {
        this(Unit.LINE, line, 1, byteOffset, field, column, code, message, record, cut);
    }

    /** One whole record of text without the number of its field. */
    public Reject(long line, long byteOffset, @Nullable String column, String code, String message, byte[] record) {
        this(line, byteOffset, 0, column, code, message, record, false);
    }

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
