package io.sluice.importer.decode;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The constants for columns that no field fills; columns without a DEFAULT are NULL. Immutable. All formats use it. */
public final class ColumnDefaults {
    @SuppressWarnings("ArrayRecordComponent")
    private record Default(int column, DatumParser parser, byte[] text) {}

    private final List<Default> defaults;

    private ColumnDefaults(List<Default> defaults) {
        this.defaults = List.copyOf(defaults);
    }

    /**
     * The defaults of a table's columns that the input does not fill.
     *
     * @param filled positions of the columns that the input fills
     * @param problems receives the problems: a NOT NULL column without a default, or a default that is not a value of
     *     its column
     */
    public static ColumnDefaults of(TableDef table, Collection<Integer> filled, List<String> problems) {
        return of(table, filled, problems, true);
    }

    private static ColumnDefaults of(
            TableDef table, Collection<Integer> filled, List<String> problems, boolean othersMissing) {
        List<Default> defaults = new ArrayList<>();
        for (int position : table.visibleColumns()) {
            Column column = table.columns().get(position);
            if (filled.contains(position)) {
                continue;
            }
            String text = column.defaultText();
            if (text != null) {
                Default constant =
                        new Default(position, DatumParser.of(column.type()), text.getBytes(StandardCharsets.UTF_8));
                DatumProblem problem =
                        constant.parser.parse(constant.text, 0, constant.text.length, new Row(position + 1), position);
                if (problem != null) {
                    problems.add("column " + column.name() + ": its DEFAULT '" + text + "' " + problem.message());
                }
                defaults.add(constant);
            } else if (!column.nullable() && othersMissing) {
                problems.add("column " + column.name() + " is NOT NULL and is missing");
            }
        }
        return new ColumnDefaults(defaults);
    }

    /**
     * The defaults of all columns, for formats whose records each fill other ones.
     *
     * @param problems receives each default that is not a value of its column
     */
    public static ColumnDefaults ofAll(TableDef table, List<String> problems) {
        return of(table, List.of(), problems, false);
    }

    /** Sets a column back to its default, or to NULL. */
    public void reset(Row row, int column) {
        row.setNull(column);
        for (Default constant : defaults) {
            if (constant.column == column) {
                constant.parser.parse(constant.text, 0, constant.text.length, row, column);
            }
        }
    }

    /** Sets the defaults in a cleared row. */
    public void fill(Row row) {
        for (int i = 0; i < defaults.size(); i++) {
            Default constant = defaults.get(i);
            // The constructor has parsed it already, so it is valid.
            constant.parser.parse(constant.text, 0, constant.text.length, row, constant.column);
        }
    }
}
