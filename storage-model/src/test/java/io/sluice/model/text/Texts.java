package io.sluice.model.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Parses a text in the middle of a larger buffer, to detect parsers that read beyond its bounds. */
final class Texts {
    private static final int MARGIN = 9;

    private Texts() {}

    static ColumnType decimal(int precision, int scale) {
        return new ColumnType(TypeKind.DECIMAL, precision, scale, 0);
    }

    static ColumnType limited(TypeKind kind, int maxLength) {
        return new ColumnType(kind, 0, 0, maxLength);
    }

    static ColumnType precise(TypeKind kind, int precision) {
        return new ColumnType(kind, precision, 0, 0);
    }

    static @Nullable DatumProblem parse(ColumnType type, byte[] text, Row row) {
        // Digits around the text: a parser that reads beyond its bounds includes them.
        byte[] buffer = new byte[text.length + 2 * MARGIN];
        Arrays.fill(buffer, (byte) '7');
        System.arraycopy(text, 0, buffer, MARGIN, text.length);
        return DatumParser.of(type).parse(buffer, MARGIN, MARGIN + text.length, row, 1);
    }

    static @Nullable DatumProblem parse(ColumnType type, String text, Row row) {
        return parse(type, text.getBytes(StandardCharsets.UTF_8), row);
    }

    /** Parses a valid text into column 1 of a row. */
    static Row good(ColumnType type, String text) {
        Row row = new Row(3);
        DatumProblem problem = parse(type, text, row);
        assertNull(problem, () -> type.sql() + " refused '" + text + "': " + problem);
        assertFalse(row.isNull(1), () -> type.sql() + " left the slot alone for '" + text + "'");
        return row;
    }

    /** Parses a text and formats the result. */
    static @Nullable String through(ColumnType type, String text) {
        return DatumFormatter.format(good(type, text), 1, type);
    }

    static void assertThrough(String expected, ColumnType type, String text) {
        assertEquals(expected, through(type, text), () -> type.sql() + " '" + text + "'");
        assertEquals(expected, through(type, expected), () -> type.sql() + " reads what it printed for '" + text + "'");
    }

    static void assertProblem(DatumProblem.Code code, ColumnType type, String text) {
        Row row = new Row(3);
        DatumProblem problem = parse(type, text, row);
        assertNotNull(problem, () -> type.sql() + " took '" + text + "' as " + DatumFormatter.format(row, 1, type));
        assertEquals(code, problem.code(), () -> type.sql() + " '" + text + "': " + problem);
        if (code == DatumProblem.Code.SYNTAX && text.length() > 6) {
            assertFalse(problem.message().contains(text), () -> "the message quotes the datum: " + problem);
        }
    }
}
