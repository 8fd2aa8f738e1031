package io.sluice.model.schema;

import java.util.ArrayList;
import java.util.List;

/**
 * The definition of a table in DDL, before a store gives it an id. {@link Table} binds it to ids.
 *
 * @param name name, in lower case unless it was quoted
 * @param columns all columns in order of declaration; a hidden row id comes last
 * @param primary the primary index
 * @param secondaries the secondary indexes by id
 * @param foreignKeys foreign keys for SQL statements; imports do not check them
 */
public record TableDef(
        String name, List<Column> columns, IndexDef primary, List<IndexDef> secondaries, List<ForeignKey> foreignKeys) {
    public TableDef {
        columns = List.copyOf(columns);
        secondaries = List.copyOf(secondaries);
        foreignKeys = List.copyOf(foreignKeys);
    }

    /** Number of column families, at least 1. Each has a column. */
    public int families() {
        return 1 + columns.stream().mapToInt(Column::family).max().orElse(0);
    }

    /** This table with all columns in one family; itself if it has no other. */
    public TableDef inOneFamily() {
        return families() == 1
                ? this
                : new TableDef(
                        name,
                        columns.stream().map(column -> column.inFamily(0)).toList(),
                        primary,
                        secondaries,
                        foreignKeys);
    }

    /** Position of the column of that name, or -1. */
    public int columnIndex(String columnName) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equals(columnName)) {
                return i;
            }
        }
        return -1;
    }

    /** The primary index, then the secondary indexes: the order in which a row's KVs are encoded. */
    public List<IndexDef> indexes() {
        List<IndexDef> all = new ArrayList<>(1 + secondaries.size());
        all.add(primary);
        all.addAll(secondaries);
        return all;
    }

    /** Positions of the columns that are not hidden, in order. */
    public List<Integer> visibleColumns() {
        List<Integer> visible = new ArrayList<>(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            if (!columns.get(i).hidden()) {
                visible.add(i);
            }
        }
        return visible;
    }

    /** Names of the columns that are not hidden, in order. */
    public List<String> visibleNames() {
        return visibleColumns().stream()
                .map(position -> columns.get(position).name())
                .toList();
    }

    /** Position of the visible column of that name, or else of the first that differs only in case; -1 without one. */
    public int visibleColumn(String columnName) {
        int exact = columnIndex(columnName);
        if (exact >= 0 && !columns.get(exact).hidden()) {
            return exact;
        }
        for (int column : visibleColumns()) {
            if (columns.get(column).name().equalsIgnoreCase(columnName)) {
                return column;
            }
        }
        return -1;
    }
}
