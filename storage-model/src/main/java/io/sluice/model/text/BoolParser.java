package io.sluice.model.text;

import io.sluice.model.row.Row;
import org.jspecify.annotations.Nullable;

/** Parses BOOL: true, false, t, f, yes, no, y, n, on, off in any case, 1 and 0. */
final class BoolParser implements DatumParser {
    private static final DatumProblem SYNTAX = new DatumProblem(
            DatumProblem.Code.SYNTAX, "BOOL must be true, false, t, f, yes, no, y, n, on, off, 1 or 0");

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int start = Ascii.skipSpaces(buffer, from, to);
        int end = Ascii.trimEnd(buffer, start, to);
        if (isTrue(buffer, start, end)) {
            row.setLong(column, 1);
            return null;
        }
        if (isFalse(buffer, start, end)) {
            row.setLong(column, 0);
            return null;
        }
        return SYNTAX;
    }

    private static boolean isTrue(byte[] buffer, int from, int to) {
        return switch (to - from) {
            case 1 -> buffer[from] == '1' || Ascii.isWord(buffer, from, to, "t") || Ascii.isWord(buffer, from, to, "y");
            case 2 -> Ascii.isWord(buffer, from, to, "on");
            case 3 -> Ascii.isWord(buffer, from, to, "yes");
            case 4 -> Ascii.isWord(buffer, from, to, "true");
            default -> false;
        };
    }

    private static boolean isFalse(byte[] buffer, int from, int to) {
        return switch (to - from) {
            case 1 -> buffer[from] == '0' || Ascii.isWord(buffer, from, to, "f") || Ascii.isWord(buffer, from, to, "n");
            case 2 -> Ascii.isWord(buffer, from, to, "no");
            case 3 -> Ascii.isWord(buffer, from, to, "off");
            case 5 -> Ascii.isWord(buffer, from, to, "false");
            default -> false;
        };
    }
}
