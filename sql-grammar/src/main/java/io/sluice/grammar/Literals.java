package io.sluice.grammar;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumFormatter;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Parses the texts of literals as datums of columns. */
public final class Literals {
    private Literals() {}

    /**
     * Parses a text into a row's slot.
     *
     * @throws StatementException if the text is not a value of the type
     */
    public static void put(ColumnType type, String text, Row row, int column, String columnName) {
        DatumProblem problem = read(type, text, row, column);
        if (problem != null) {
            throw new StatementException(
                    SqlErrorCode.BAD_VALUE,
                    "column " + columnName + " " + type.sql() + ": '" + text + "': " + problem.message());
        }
    }

    /** Parses a text into a row's slot; returns the problem, or null. */
    static @Nullable DatumProblem read(ColumnType type, String text, Row row, int column) {
        return DatumParser.of(type).parse(text, row, column);
    }

    /**
     * Returns the type for comparisons with a column: the column's type without the limits that would round or refuse
     * the literal. {@code price = 1.005} on a DECIMAL(10,2) matches no row; a rounded literal would match 1.01. Columns
     * of FLOAT4 and FLOAT8 have the same keys.
     */
    static ColumnType comparable(ColumnType type) {
        return switch (type.kind()) {
            case INT2, INT4 -> ColumnType.of(TypeKind.INT8);
            case FLOAT4 -> ColumnType.of(TypeKind.FLOAT8);
            case DECIMAL, STRING, BYTES, BIT, TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ -> ColumnType.of(type.kind());
            case ARRAY ->
                type.elementType().kind() == TypeKind.FLOAT4
                        ? type
                        : ColumnType.arrayOf(comparable(type.elementType()));
            default -> type;
        };
    }

    /** The text of a FLOAT4 as the FLOAT8 of the same value. */
    public static String widened(String text) {
        Row row = new Row(1);
        put(ColumnType.of(TypeKind.FLOAT4), text, row, 0, "of a literal");
        return Objects.requireNonNull(DatumFormatter.format(row, 0, ColumnType.of(TypeKind.FLOAT8)));
    }
}
