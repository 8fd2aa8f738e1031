package io.sluice.importer.decode.infer;

import io.sluice.importer.decode.ValueConverter;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumParser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Types that all values of one column fit, the value that ruled out the last narrower type, and whether the values are
 * unique.
 */
final class ColumnEvidence {
    private static final int EXCERPT_BYTES = 40;
    private static final int KEY_COLUMNS = 64;
    private static final int KEYS_SHOWN = 3;

    private static final Set<Guess> UNQUOTED = Set.of(Guess.BOOL, Guess.INT8, Guess.DECIMAL);

    private final EnumSet<Guess> possible = EnumSet.allOf(Guess.class);
    private final Map<Guess, ValueConverter> converters = new EnumMap<>(Guess.class);
    private final Row scratch = new Row(1);
    private long values;
    private long nulls;
    private int longestBytes;
    private @Nullable String turning;
    private @Nullable DistinctValues distinct;
    private boolean nested;

    /**
     * Creates evidence from no values.
     *
     * @param position among the columns; only the first ones are examined for keys
     * @param name of the column
     * @param format how the values are written
     */
    ColumnEvidence(int position, String name, ValueFormat format) {
        for (Guess guess : Guess.values()) {
            ValueConverter converter = format.converter(guess.kind, name);
            if (converter != null) {
                converters.put(guess, converter);
            }
        }
        distinct = position < KEY_COLUMNS ? new DistinctValues() : null;
    }

    /**
     * A remark on keys: the columns whose values are unique, if there are any.
     *
     * @param format name of the format, which declares no keys
     * @param records that were read
     */
    static String keys(String format, List<String> names, List<ColumnEvidence> columns, long records) {
        List<String> unique = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            if (columns.get(i).isUnique(records) && unique.size() < KEYS_SHOWN) {
                unique.add(names.get(i));
            }
        }
        return format + " names no keys: without a PRIMARY KEY rows are numbered; "
                + (unique.isEmpty()
                        ? "declare one if there is one"
                        : "unique in all " + records + " records: " + String.join(", ", unique));
    }

    private boolean isUnique(long records) {
        Guess guess = narrowest();
        return distinct != null && records > 1 && values == records && guess != Guess.DECIMAL && guess != Guess.BOOL;
    }

    /** Whether all values fit a type that is narrower than text. */
    boolean isTyped() {
        return values > 0 && !possible.isEmpty();
    }

    /** Whether a record has NULL. */
    boolean hasNull() {
        return nulls > 0;
    }

    /** Whether all values are numbers, and some have fractions. */
    boolean isDecimal() {
        return values > 0 && narrowest() == Guess.DECIMAL;
    }

    /** Whether a text could be one more value of the type that the values have so far. */
    boolean fits(String text) {
        Guess guess = narrowest();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return guess != null && takes(guess, bytes, 0, bytes.length);
    }

    private boolean takes(Guess guess, byte[] text, int from, int to) {
        ValueConverter converter = converters.get(guess);
        if (converter == null) {
            return guess.takes(text, from, to, scratch);
        }
        return converter.convert(text, from, to) == null
                && guess.takes(converter.text(), 0, converter.length(), scratch);
    }

    void addNull() {
        nulls++;
    }

    /** Takes the text of a string, in a format that does not write numbers and booleans as strings. */
    void addString(byte[] text, int from, int to, long record) {
        possible.removeAll(UNQUOTED);
        add(text, from, to, record);
    }

    /** Rules out all types but JSONB. */
    void addNested() {
        values++;
        distinct = null;
        nested = true;
        possible.clear();
        turning = "objects or arrays were seen";
    }

    /** Takes one value. */
    void add(byte[] text, int from, int to, long record) {
        values++;
        longestBytes = Math.max(longestBytes, to - from);
        if (distinct != null && !distinct.add(text, from, to)) {
            distinct = null;
        }
        if (possible.isEmpty()) {
            return;
        }
        Guess before = narrowest();
        possible.removeIf(guess -> !takes(guess, text, from, to));
        if (values > 1 && before != narrowest()) {
            String excerpt = new String(text, from, Math.min(EXCERPT_BYTES, to - from), StandardCharsets.UTF_8);
            turning = (before == null ? "" : before + " up to ") + "record " + record + ", which has '" + excerpt + "'";
        }
    }

    private @Nullable Guess narrowest() {
        return possible.isEmpty() ? null : possible.iterator().next();
    }

    /**
     * The column to propose, NOT NULL if every one of the records has a value.
     *
     * @param records of the file; -1 if not all of them were read
     */
    InferredColumn column(String name, long records) {
        InferredColumn column = column(name);
        if (records < 0) {
            return column;
        }
        boolean always = values == records && values > 0;
        String comment = column.comment();
        long absent = records - values - nulls;
        return new InferredColumn(
                name,
                column.sql() + (always ? " NOT NULL" : ""),
                absent == 0 ? comment : "absent in " + counted(absent, "record") + "; " + comment);
    }

    /** A number of things in words. */
    static String counted(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }

    private InferredColumn column(String name) {
        Guess guess = narrowest();
        if (values == 0) {
            return new InferredColumn(name, "STRING", "only NULLs were seen: the type is a guess");
        }
        String type = nested ? "JSONB" : guess == null ? "STRING" : guess.name();
        StringBuilder comment = new StringBuilder();
        comment.append(nulls == 0 ? "no NULL seen" : counted(nulls, "NULL") + " seen");
        if (guess == null && !nested) {
            comment.append("; longest ").append(counted(longestBytes, "byte"));
        }
        if (turning != null) {
            comment.append("; ").append(turning);
        }
        return new InferredColumn(name, type, comment.toString());
    }

    /**
     * The types that a text may have, narrower ones first. A column of a narrow type prints every text that it took
     * unchanged, or as the same number or moment. A number that would lose something, such as leading zeros, is text.
     */
    @SuppressWarnings("ImmutableEnumChecker") // parsers are immutable, as their interface says
    private enum Guess {
        BOOL(TypeKind.BOOL) {
            @Override
            boolean looksIt(byte[] text, int from, int to) {
                int length = to - from;
                // PostgreSQL writes t and f; other letters and digits may stand for anything.
                return length == 4 || length == 5 || (length == 1 && (text[from] == 't' || text[from] == 'f'));
            }
        },
        INT8(TypeKind.INT8) {
            @Override
            boolean looksIt(byte[] text, int from, int to) {
                return isNumber(text, from, to);
            }
        },
        DECIMAL(TypeKind.DECIMAL) {
            @Override
            boolean looksIt(byte[] text, int from, int to) {
                return isNumber(text, from, to);
            }
        },
        DATE(TypeKind.DATE),
        TIME(TypeKind.TIME),
        TIMESTAMP(TypeKind.TIMESTAMP) {
            @Override
            boolean looksIt(byte[] text, int from, int to) {
                return super.looksIt(text, from, to) && !hasZone(text, from, to) && fits(text, from, to);
            }
        },
        TIMESTAMPTZ(TypeKind.TIMESTAMPTZ) {
            @Override
            boolean looksIt(byte[] text, int from, int to) {
                return super.looksIt(text, from, to) && hasZone(text, from, to) && fits(text, from, to);
            }
        },
        UUID(TypeKind.UUID) {
            @Override
            boolean looksIt(byte[] text, int from, int to) {
                // Without hyphens it may be a number or a hash.
                return to - from == 36;
            }
        };

        /** Times keep six fraction digits: {@code hh:mm:ss.ffffff}. */
        private static final int FRACTION_DIGITS = 6;

        private final TypeKind kind;
        private final DatumParser parser;

        Guess(TypeKind kind) {
            this.kind = kind;
            parser = DatumParser.of(ColumnType.of(kind));
        }

        /** Whether a text can be one of the type without losing anything. */
        boolean takes(byte[] text, int from, int to, Row scratch) {
            scratch.clear();
            return from < to
                    && text[from] != ' '
                    && text[to - 1] != ' '
                    && looksIt(text, from, to)
                    && parser.parse(text, from, to, scratch, 0) == null;
        }

        /** Whether a text has the type's usual form; the parsers are more generous. */
        boolean looksIt(byte[] text, int from, int to) {
            return isDigit(text[from]) && fits(text, from, to);
        }

        /** A number without a plus sign or leading zeros. */
        private static boolean isNumber(byte[] text, int from, int to) {
            int first = text[from] == '-' ? from + 1 : from;
            if (first == to || !isDigit(text[first])) {
                return false;
            }
            return text[first] != '0' || first + 1 == to || !isDigit(text[first + 1]);
        }

        /** Whether a date stands first and an offset or Z last. */
        private static boolean hasZone(byte[] text, int from, int to) {
            int time = from;
            while (time < to && text[time] != ':') {
                time++;
            }
            for (int i = time; i < to; i++) {
                if (text[i] == '+' || text[i] == '-' || (text[i] | 0x20) == 'z') {
                    return true;
                }
            }
            return false;
        }

        /** Whether the text has no more fraction digits than a column keeps. */
        private static boolean fits(byte[] text, int from, int to) {
            for (int i = from; i < to; i++) {
                if (text[i] == '.') {
                    int digits = i + 1;
                    while (digits < to && isDigit(text[digits])) {
                        digits++;
                    }
                    return digits - i - 1 <= FRACTION_DIGITS;
                }
            }
            return true;
        }

        private static boolean isDigit(byte b) {
            return b >= '0' && b <= '9';
        }
    }
}
