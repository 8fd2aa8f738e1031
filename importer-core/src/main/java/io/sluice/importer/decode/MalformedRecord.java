package io.sluice.importer.decode;

import org.jspecify.annotations.Nullable;

/**
 * What is wrong with a record that a CSV parser refused.
 *
 * @param field the field, from 0; -1 when it is not known
 * @param message what is wrong with it
 */
record MalformedRecord(int field, String message) {
    /** Looks for the first field whose quoting is wrong. */
    static MalformedRecord find(byte[] buffer, int from, int to, CsvDialect dialect) {
        int field = 0;
        int pos = from;
        while (pos < to) {
            if (is(dialect.quote(), buffer[pos])) {
                pos = closingQuote(buffer, pos + 1, to, dialect);
                if (pos < 0) {
                    return new MalformedRecord(field, Rejects.UNCLOSED_QUOTE);
                }
                while (pos < to && !endsField(buffer[pos], dialect) && Character.isWhitespace(buffer[pos] & 0xff)) {
                    pos++;
                }
                if (pos < to && !endsField(buffer[pos], dialect)) {
                    return new MalformedRecord(field, Rejects.TEXT_BEHIND_QUOTE);
                }
            }
            while (pos < to && !endsField(buffer[pos], dialect)) {
                pos += is(dialect.effectiveEscape(), buffer[pos]) ? 2 : 1;
            }
            pos++;
            field++;
        }
        return new MalformedRecord(-1, "is not well-formed CSV of this dialect");
    }

    private static boolean endsField(byte b, CsvDialect dialect) {
        return b == (byte) dialect.delimiter() || b == '\n' || b == '\r';
    }

    private static int closingQuote(byte[] buffer, int from, int to, CsvDialect dialect) {
        int pos = from;
        while (pos < to) {
            if (is(dialect.effectiveEscape(), buffer[pos])) {
                pos += 2;
            } else if (!is(dialect.quote(), buffer[pos])) {
                pos++;
            } else if (pos + 1 < to && is(dialect.quote(), buffer[pos + 1])) {
                pos += 2;
            } else {
                return pos + 1;
            }
        }
        return -1;
    }

    private static boolean is(@Nullable Character character, byte b) {
        return character != null && b == (byte) character.charValue();
    }
}
