package io.sluice.importer.decode;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Maps each field of a record to the column that it fills. The array is not copied: do not change it.
 *
 * @param columns position in {@link TableDef#columns()} by field position, or {@link #SKIPPED}
 */
@SuppressWarnings("ArrayRecordComponent")
public record ColumnMapping(int[] columns) {
    /** The value for a field that fills no column. */
    public static final int SKIPPED = -1;

    /** Prefix of names of skipped fields, as in MySQL's LOAD DATA. */
    public static final String SKIP_PREFIX = "@";

    /** Maps fields in the order of the table's visible columns. */
    public static ColumnMapping inOrder(TableDef table) {
        return new ColumnMapping(
                table.visibleColumns().stream().mapToInt(Integer::intValue).toArray());
    }

    /**
     * Maps fields by column name, if need be in any case; a name that begins with {@code @} skips its field.
     *
     * @param where source of the names, for messages
     * @throws BadInputException for unknown and repeated names, and for missing NOT NULL columns without a default
     */
    public static ColumnMapping byName(TableDef table, List<String> names, String where) {
        List<String> problems = new ArrayList<>();
        int[] columns = new int[names.size()];
        Set<Integer> named = new HashSet<>();
        for (int i = 0; i < columns.length; i++) {
            String name = table.columnIndex(names.get(i)) >= 0
                    ? names.get(i)
                    : names.get(i).strip();
            int column = table.visibleColumn(name);
            if (column < 0 && name.startsWith(SKIP_PREFIX)) {
                columns[i] = SKIPPED;
                continue;
            }
            if (column < 0) {
                problems.add(
                        "column " + (name.isEmpty() ? "with an empty name" : name) + " is not in table " + table.name()
                                + ", which has " + visibleNames(table) + "; @" + name + " in --columns skips a field");
            } else if (!named.add(column)) {
                problems.add("column " + name + " is named twice");
            }
            columns[i] = column;
        }
        ColumnDefaults.of(table, named, problems);
        if (!problems.isEmpty()) {
            throw new BadInputException(where + ": " + String.join("\n" + where + ": ", problems));
        }
        return new ColumnMapping(columns);
    }

    private static String visibleNames(TableDef table) {
        return String.join(", ", table.visibleNames());
    }

    /** The defaults of the columns that no field fills. */
    ColumnDefaults defaults(TableDef table) {
        return ColumnDefaults.of(table, Arrays.stream(columns).boxed().collect(Collectors.toSet()), new ArrayList<>());
    }

    /** Maps fields by the given names, or in the order of the table's columns if there are none. */
    public static ColumnMapping of(TableDef table, @Nullable List<String> names) {
        return names == null ? inOrder(table) : byName(table, names, "--columns");
    }
}
