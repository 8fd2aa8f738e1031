package io.sluice.importer.decode;

import io.sluice.api.row.Row;
import io.sluice.api.schema.Column;
import io.sluice.api.schema.TableDef;
import io.sluice.api.text.DatumParser;
import io.sluice.api.text.DatumParsers;
import io.sluice.api.text.DatumProblem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The constants that stand in columns which no field fills. Columns without a DEFAULT are NULL. Immutable, usable by
 * many threads; formats without text may use it as well.
 */
public final class ColumnDefaults {
    @SuppressWarnings("ArrayRecordComponent")
    private record Default(int column, DatumParser parser, byte[] text) {}

    private final List<Default> defaults;

    private ColumnDefaults(List<Default> defaults) {
        this.defaults = List.copyOf(defaults);
    }

    /**
     * The defaults of a table's columns that are not filled.
     *
     * @param filled positions of the columns that the input fills
     * @param problems takes what is wrong: a column that may not be NULL and has no default, or a default that is no
     *     value of its column
     */
    public static ColumnDefaults of(TableDef table, Collection<Integer> filled, List<String> problems) {
        List<Default> defaults = new ArrayList<>();
        for (int position : table.visibleColumns()) {
            Column column = table.columns().get(position);
            if (filled.contains(position)) {
                continue;
            }
            String text = column.defaultText();
            if (text != null) {
                Default made =
                        new Default(position, DatumParsers.of(column.type()), text.getBytes(StandardCharsets.UTF_8));
                DatumProblem problem =
                        made.parser.parse(made.text, 0, made.text.length, new Row(position + 1), position);
                if (problem != null) {
                    problems.add("column " + column.name() + ": its DEFAULT '" + text + "' " + problem.message());
                }
                defaults.add(made);
            } else if (!column.nullable()) {
                problems.add("column " + column.name() + " is NOT NULL and is missing");
            }
        }
        return new ColumnDefaults(defaults);
    }

    /** Sets the defaults in a row that was cleared. */
    public void fill(Row row) {
        for (int i = 0; i < defaults.size(); i++) {
            Default constant = defaults.get(i);
            // It was read once already, so it cannot be refused.
            constant.parser.parse(constant.text, 0, constant.text.length, row, constant.column);
        }
    }
}
