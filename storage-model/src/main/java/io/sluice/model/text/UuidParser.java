package io.sluice.model.text;

import io.sluice.model.row.Row;
import org.jspecify.annotations.Nullable;

/** Parses UUID: 32 hex digits of either case, with the four usual hyphens or with none, in braces or not. */
final class UuidParser implements DatumParser {
    private static final int PLAIN_LENGTH = 32;
    private static final int CANONICAL_LENGTH = 36;
    private static final DatumProblem SYNTAX = new DatumProblem(
            DatumProblem.Code.SYNTAX,
            "UUID must be 32 hex digits, as xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx or without hyphens");

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int start = Ascii.skipSpaces(buffer, from, to);
        int end = Ascii.trimEnd(buffer, start, to);
        if (end - start > 2 && buffer[start] == '{' && buffer[end - 1] == '}') {
            start++;
            end--;
        }
        boolean hyphens = end - start == CANONICAL_LENGTH;
        if (!hyphens && end - start != PLAIN_LENGTH) {
            return SYNTAX;
        }
        long most = 0;
        long least = 0;
        int at = start;
        for (int digit = 0; digit < PLAIN_LENGTH; digit++) {
            if (hyphens && (digit == 8 || digit == 12 || digit == 16 || digit == 20) && buffer[at++] != '-') {
                return SYNTAX;
            }
            int value = Ascii.hex(buffer[at++]);
            if (value < 0) {
                return SYNTAX;
            }
            if (digit < PLAIN_LENGTH / 2) {
                most = most << 4 | value;
            } else {
                least = least << 4 | value;
            }
        }
        row.setUuid(column, most, least);
        return null;
    }
}
