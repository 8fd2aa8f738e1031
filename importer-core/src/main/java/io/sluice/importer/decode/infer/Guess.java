package io.sluice.importer.decode.infer;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumParsers;

/**
 * The types that a text may have, narrower ones first. A column of a narrow type prints every text that it took
 * unchanged, or as the same number or moment. A number that would lose something, such as leading zeros, is text.
 */
@SuppressWarnings("ImmutableEnumChecker") // parsers are immutable, as their interface says
enum Guess {
    BOOL(TypeKind.BOOL) {
        @Override
        boolean looksIt(byte[] text, int from, int to) {
            int length = to - from;
            // Single letters and digits may stand for anything.
            return length == 4 || length == 5;
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

    private final DatumParser parser;

    Guess(TypeKind kind) {
        parser = DatumParsers.of(ColumnType.of(kind));
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
