package io.sluice.model.text;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Parses STRING: checks UTF-8, the maximum length and the labels of an ENUM, and points the slot into the buffer. */
final class StringParser implements DatumParser {
    private final int maxCodePoints;
    private final String name;
    private final DatumProblem tooLong;
    private final byte[][] labels;
    private final DatumProblem noLabel;

    StringParser(ColumnType type) {
        maxCodePoints = type.maxLength() == 0 ? Integer.MAX_VALUE : type.maxLength();
        name = type.sql();
        tooLong = new DatumProblem(
                DatumProblem.Code.TOO_LONG, "too long for " + name + ": at most " + maxCodePoints + " characters");
        labels = type.labels().stream()
                .map(label -> label.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        noLabel = new DatumProblem(DatumProblem.Code.OUT_OF_RANGE, "is no label of " + name);
    }

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int codePoints = Utf8.codePoints(buffer, from, to);
        if (codePoints < 0) {
            return new DatumProblem(
                    DatumProblem.Code.BAD_UTF8,
                    name + " must be UTF-8: byte " + -codePoints + " of the value begins no valid character");
        }
        if (codePoints > maxCodePoints) {
            return tooLong;
        }
        if (labels.length > 0 && !isLabel(buffer, from, to)) {
            return noLabel;
        }
        row.setBytes(column, buffer, from, to - from);
        return null;
    }

    private boolean isLabel(byte[] buffer, int from, int to) {
        for (byte[] label : labels) {
            if (Arrays.equals(buffer, from, to, label, 0, label.length)) {
                return true;
            }
        }
        return false;
    }
}
