package io.sluice.importer.decode;

import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.importer.source.CsvFraming;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The raw fields of one record, which commons-csv does not report. Whether a field was quoted decides about NULL. So
 * does its text before escapes were removed: {@code \N} is NULL, as in MySQL and CockroachDB, and {@code \\N} is text.
 * For the escapes of PostgreSQL and MySQL, which commons-csv does not know, {@link #value} removes them. Reused for
 * each record.
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
    private final Escapes escapes;

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
        escapes = dialect.has(Trait.COPY_ESCAPES)
                ? Escapes.COPY
                : dialect.has(Trait.MYSQL_ESCAPES)
                        ? Escapes.MYSQL
                        : dialect.has(Trait.QUOTED_ESCAPE) ? Escapes.QUOTED : Escapes.OTHER;
    }

    private static int asInt(@Nullable Character character) {
        return character == null ? NONE : character;
    }

    /** The characters that may follow an escape. */
    private enum Escapes {
        COPY,
        MYSQL,
        /** The quote and the escape, inside quotes. */
        QUOTED,
        /** Any characters: commons-csv removes the escapes. */
        OTHER
    }

    /** Number of fields. */
    int size() {
        return count;
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
        return escapes != Escapes.QUOTED && isEscapedNull(starts[field], ends[field]);
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
            if (escapes == Escapes.COPY || escapes == Escapes.MYSQL) {
                noteEscapes(start + 1, closed, count - 1);
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
            if ((escapes == Escapes.COPY || escapes == Escapes.MYSQL) && !isEscapedNull(from, pos)) {
                noteEscapes(from, pos, count);
            }
            add(strip ? strippedStart(start, pos) : from, strip ? strippedEnd(start, pos) : pos, false);
        }
        return pos < end ? pos + delimiter.length : -1;
    }

    private void noteBareQuote(int from, int to) {
        for (int i = from; i < to; i++) {
            if (buffer[i] == escape && escapes != Escapes.QUOTED) {
                i++;
            } else if (buffer[i] == quote) {
                problem = problem == null ? new Fault(count, Rejects.BARE_QUOTE) : problem;
            }
        }
    }

    /** Notes the first escape that the system does not write. */
    private void noteEscapes(int from, int to, int field) {
        int at = from;
        while (at < to) {
            if (buffer[at] != escape) {
                at++;
            } else if (at + 1 < to && isEscape(buffer[at + 1])) {
                at += 2;
            } else {
                String after = at + 1 < to && buffer[at + 1] > ' ' ? " and " + (char) buffer[at + 1] : "";
                problem = problem == null
                        ? new Fault(field, "has the escape" + after + ", which " + named() + " does not have")
                        : problem;
                return;
            }
        }
    }

    private String named() {
        return escapes == Escapes.COPY ? "the text format of PostgreSQL's COPY" : "MySQL's LOAD DATA";
    }

    private boolean isEscape(byte b) {
        String letters = escapes == Escapes.COPY ? "bfnrtvx01234567.\r\n" : "0bnrtZ'\"?\r\n";
        return b == escape || b == quote || b == delimiter[0] || letters.indexOf(b) >= 0;
    }

    /**
     * The value of a field without its quotes and escapes, in a dialect with escapes of its own; valid for the caller.
     */
    byte[] value(int field) {
        int from = starts[field];
        int to = ends[field];
        byte[] out = new byte[to - from];
        int length = 0;
        for (int i = from; i < to; i++) {
            byte b = buffer[i];
            if (quoted[field] && b == quote) {
                // The other half of a doubled quote; a single one would have closed the field.
                i++;
            } else if (b == escape && i + 1 < to && escapes != Escapes.QUOTED) {
                i = unescaped(i + 1, to, out, length);
                length++;
                continue;
            } else if (b == escape
                    && quoted[field]
                    && i + 1 < to
                    && (buffer[i + 1] == quote || buffer[i + 1] == escape)) {
                b = buffer[++i];
            }
            out[length++] = b;
        }
        return length == out.length ? out : Arrays.copyOf(out, length);
    }

    /** Puts the byte that an escape stands for; returns the position of the escape's last byte. */
    private int unescaped(int at, int to, byte[] out, int length) {
        byte b = buffer[at];
        boolean copy = escapes == Escapes.COPY;
        if (copy && b >= '0' && b <= '7') {
            return number(at, Math.min(to, at + 3), 8, out, length);
        }
        if (copy && b == 'x' && at + 1 < to && Character.digit(buffer[at + 1], 16) >= 0) {
            return number(at + 1, Math.min(to, at + 3), 16, out, length);
        }
        out[length] = switch (b) {
            case 'b' -> '\b';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'f' -> copy ? (byte) '\f' : b;
            case 'v' -> copy ? 0x0b : b;
            case '0' -> copy ? b : 0;
            case 'Z' -> copy ? b : 0x1a;
            default -> b;
        };
        return at;
    }

    private int number(int from, int to, int base, byte[] out, int length) {
        int value = 0;
        int at = from;
        for (; at < to && Character.digit(buffer[at], base) >= 0; at++) {
            value = value * base + Character.digit(buffer[at], base);
        }
        out[length] = (byte) value;
        return at - 1;
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
            pos += buffer[pos] == escape && escapes != Escapes.QUOTED ? 2 : 1;
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
