package io.sluice.model.text;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import org.jspecify.annotations.Nullable;

/** Parses BIT(n) and VARBIT(n): digits 0 and 1. The slot has these digits. */
final class BitParser implements DatumParser {
    private final int maxBits;
    private final boolean exact;
    private final DatumProblem syntax;
    private final DatumProblem wrongLength;

    BitParser(ColumnType type) {
        maxBits = type.maxLength() == 0 ? Integer.MAX_VALUE : type.maxLength();
        exact = type.hasFixedLength();
        syntax = new DatumProblem(DatumProblem.Code.SYNTAX, type.sql() + " must be digits 0 and 1");
        wrongLength = new DatumProblem(
                exact ? DatumProblem.Code.OUT_OF_RANGE : DatumProblem.Code.TOO_LONG,
                "wrong length for " + type.sql() + ": must have " + (exact ? "" : "at most ") + maxBits + " bits");
    }

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        for (int i = from; i < to; i++) {
            if (buffer[i] != '0' && buffer[i] != '1') {
                return syntax;
            }
        }
        if (to - from > maxBits || (exact && to - from < maxBits)) {
            return wrongLength;
        }
        row.setBytes(column, buffer, from, to - from);
        return null;
    }
}
