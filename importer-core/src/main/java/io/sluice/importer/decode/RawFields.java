package io.sluice.importer.decode;

import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.importer.source.CsvFraming;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The raw fields of one record, which commons-csv does not report. Whether a field was quoted decides about NULL. So
 * does its text before escapes were removed: {@code \N} is NULL, as in MySQL and CockroachDB, and {@code \\N} is text.
 * Reused for each record.
 */
final class RawFields {
    /** A value that equals no byte; -1 would equal 0xff. */
    private static final int NONE = Integer.MIN_VALUE;

    private final byte[] delimiter;
    private final int quote;
    private final int escape;
    private final boolean blanks;
    private final boolean strip;
    private final boolean strict;
    private final boolean quotedNull;
    private final byte[][] nullTexts;

    private byte[] buffer = new byte[0];
    private int end;
    private int count;
    private int[] starts = new int[16];
    private int[] ends = new int[16];
    private boolean[] quoted = new boolean[16];
    private @Nullable Fault problem;

    RawFields(CsvDialect dialect) {
        delimiter = dialect.delimiterBytes();
        quote = asInt(dialect.quote());
        escape = asInt(dialect.effectiveEscape());
        blanks = dialect.has(Trait.SURROUNDING_SPACES);
        strip = blanks || dialect.has(Trait.TRIM);
        strict = dialect.has(Trait.STRICT_QUOTES);
        quotedNull = dialect.has(Trait.QUOTED_NULL);
        nullTexts = dialect.nullBytes();
    }

    private static int asInt(@Nullable Character character) {
        return character == null ? NONE : character;
    }

    /** Scans a record without its line end. */
    void scan(byte[] bytes, int from, int to) {
        buffer = bytes;
        end = to;
        count = 0;
        problem = null;
        int pos = from;
        do {
            pos = field(pos);
        } while (pos >= 0);
    }

    /** The first field with wrong quoting, or null. */
    @Nullable
    Fault problem() {
        return problem;
    }

    boolean isNull(int field) {
        if (field >= count || (quoted[field] && !quotedNull)) {
            return false;
        }
        for (byte[] text : nullTexts) {
            if (Arrays.equals(buffer, starts[field], ends[field], text, 0, text.length)) {
                return true;
            }
        }
        return isEscapedNull(starts[field], ends[field]);
    }

    /** Whether a field is the escape and N, which is NULL in every dialect with an escape. */
    private boolean isEscapedNull(int from, int to) {
        return to - from == 2 && buffer[from] == escape && buffer[from + 1] == 'N';
    }

    /** Scans the field at a position; returns the start of the next one, or -1 after the last. */
    private int field(int from) {
        int start = from;
        while (blanks && start < end && CsvFraming.isBlank(buffer[start]) && !isDelimiter(start)) {
            start++;
        }
        int pos;
        if (start < end && buffer[start] == quote) {
            int closed = closingQuote(start + 1);
            add(start + 1, Math.min(end, closed < 0 ? end : closed), true);
            if (closed < 0) {
                note(Rejects.UNCLOSED_QUOTE);
                return -1;
            }
            pos = fieldEnd(closed + 1);
            for (int i = closed + 1; i < pos; i++) {
                if (!CsvFraming.isPadding(buffer[i])) {
                    note(Rejects.TEXT_BEHIND_QUOTE);
                }
            }
        } else {
            pos = fieldEnd(start);
            if (strict && quote != NONE) {
                noteBareQuote(start, pos);
            }
            add(strip ? strippedStart(start, pos) : from, strip ? strippedEnd(start, pos) : pos, false);
        }
        return pos < end ? pos + delimiter.length : -1;
    }

    private void noteBareQuote(int from, int to) {
        for (int i = from; i < to; i++) {
            if (buffer[i] == escape) {
                i++;
            } else if (buffer[i] == quote) {
                problem = problem == null ? new Fault(count, Rejects.BARE_QUOTE) : problem;
            }
        }
    }

    private int strippedStart(int from, int to) {
        int start = from;
        while (start < to && isStripped(buffer[start])) {
            start++;
        }
        return start;
    }

    private int strippedEnd(int from, int to) {
        int stripped = to;
        while (stripped > from && isStripped(buffer[stripped - 1])) {
            stripped--;
        }
        return stripped;
    }

    /** Whether {@link String#trim} would remove an ASCII byte. */
    private static boolean isStripped(byte b) {
        return b >= 0 && b <= ' ';
    }

    private int fieldEnd(int from) {
        int pos = from;
        while (pos < end && !isDelimiter(pos)) {
            pos += buffer[pos] == escape ? 2 : 1;
        }
        return Math.min(pos, end);
    }

    private boolean isDelimiter(int pos) {
        return pos + delimiter.length <= end
                && Arrays.equals(buffer, pos, pos + delimiter.length, delimiter, 0, delimiter.length);
    }

    /** Position of the quote that closes a field, or -1. */
    private int closingQuote(int from) {
        int pos = from;
        while (pos < end) {
            if (buffer[pos] == escape) {
                pos += 2;
            } else if (buffer[pos] != quote) {
                pos++;
            } else if (pos + 1 < end && buffer[pos + 1] == quote) {
                pos += 2;
            } else {
                return pos;
            }
        }
        return -1;
    }

    private void add(int from, int to, boolean isQuoted) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
            quoted = Arrays.copyOf(quoted, 2 * count);
        }
        starts[count] = from;
        ends[count] = Math.max(from, to);
        quoted[count++] = isQuoted;
    }

    /** Records a problem of the field that was added last. */
    private void note(String message) {
        if (problem == null) {
            problem = new Fault(count - 1, message);
        }
    }

    /**
     * A syntax problem of a record, found before its fields are parsed.
     *
     * @param field the field, from 0; -1 if not known
     * @param message the problem
     */
    record Fault(int field, String message) {
        static final Fault UNKNOWN = new Fault(-1, "is not well-formed CSV of this dialect");
    }
}
