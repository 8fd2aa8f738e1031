package io.sluice.importer.decode;

import io.sluice.model.text.DatumProblem;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A record of any format that is not a row of the table. The array is not copied: do not change it.
 *
 * @param place where the record is
 * @param records number of lost records: one, or the rest of an unreadable block
 * @param problem what is wrong with it
 * @param record the original bytes, without the separator of records
 * @param cut whether the record was longer than the limit for one record, and {@code record} is only its beginning
 * @param rival for a captured row, the row that holds its key; else null
 */
@SuppressWarnings("ArrayRecordComponent")
public record Reject(
        Place place,
        long records,
        Problem problem,
        byte[] record,
        boolean cut,
        @Nullable Rival rival) implements Serializable {
    private static final long serialVersionUID = 1L;

    /**
     * Position of a record.
     *
     * @param unit the unit of {@code line}
     * @param line line of the split where the record starts, or number of the split's row, from 0; {@code RejectLog}
     *     converts it to that of the file
     * @param byteOffset offset in the file of the record or its block
     */
    public record Place(Unit unit, long line, long byteOffset) implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    /** The kinds of errors of records. Their texts are in lists of rejects, reports and the HTTP API. */
    public enum Code {
        /** The record has more or fewer fields than the table or the header has columns. */
        FIELD_COUNT,
        /** The record is not valid in its format: a quote that is not closed, or text that is not JSON or Avro. */
        MALFORMED,
        /** A value exceeds the length of its column, or the record is longer than 4 MiB. */
        TOO_LONG,
        /** NULL, or no value at all, for a column that is NOT NULL. */
        NOT_NULL,
        /** A value is not written as its column's type is. */
        SYNTAX,
        /** A value is outside of the range of its column's type. */
        OUT_OF_RANGE,
        /** A text is not valid in its charset. */
        BAD_UTF8,
        /** A JSON object has a member that fills no column, or none that fills one. */
        UNKNOWN_MEMBER,
        /** A JSON object has several members for one column. */
        DUPLICATE_MEMBER,
        /** Another row has the same key in the primary or a unique index. */
        CONFLICT;

        private static final Set<String> TEXTS =
                Arrays.stream(values()).map(Code::text).collect(Collectors.toUnmodifiableSet());

        /** The code in lists of rejects. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Error of a record.
     *
     * @param field the bad field, from 1 in the order of the record; 0 if the whole record is bad
     * @param column name of the bad column, or null if the whole record is bad
     * @param code text of a {@link Code}
     * @param message the problem
     */
    public record Problem(int field, @Nullable String column, String code, String message) implements Serializable {
        private static final long serialVersionUID = 1L;

        public Problem {
            if (!Code.TEXTS.contains(code)) {
                throw new IllegalArgumentException(code + " is no code of rejects; add it to Reject.Code");
            }
        }

        /** A problem of the whole record. */
        public static Problem ofRecord(Code code, String message) {
            return new Problem(0, null, code.text(), message);
        }
    }

    /**
     * A row that holds the key of a captured row.
     *
     * @param index name of the index
     * @param key the key in words
     * @param file name of its input, or the table
     * @param line line of that file, or number of the record, from 1; 0 where there is neither
     * @param byteOffset its offset in the file; -1 in the table
     */
    public record Rival(String index, String key, String file, long line, long byteOffset) implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    /** The unit of record positions. */
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

    /** Creates a reject of one record. */
    public Reject(Place place, Problem problem, byte[] record, boolean cut) {
        this(place, 1, problem, record, cut, null);
    }

    /** Adds the start of the text that is not a datum to the message. */
    public static DatumProblem withValue(DatumProblem problem, byte[] text, int from, int to) {
        String start = new String(text, from, Math.min(to - from, 4 * EXCERPT_CHARS), StandardCharsets.UTF_8);
        return new DatumProblem(problem.code(), problem.message() + "; the value is '" + excerpt(start) + "'");
    }

    private static final int EXCERPT_CHARS = 60;

    /** The start of the record, printable on one line. */
    public String excerpt() {
        return excerpt(new String(record, StandardCharsets.UTF_8));
    }

    /** The start of a text, printable on one line. */
    public static String excerpt(String text) {
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
