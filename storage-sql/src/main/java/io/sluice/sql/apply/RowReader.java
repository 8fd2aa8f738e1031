package io.sluice.sql.apply;

import io.sluice.model.kv.IndexKeys;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.Table;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import io.sluice.sql.apply.Change.Columns;
import io.sluice.sql.apply.Change.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Parses the values of one table's changes. Immutable and thread-safe. */
final class RowReader {
    private final Table table;
    private final IndexKeys keys;
    private final Map<String, Integer> positions = new HashMap<>();
    private final List<DatumParser> parsers = new ArrayList<>();
    private final List<Integer> primary;

    RowReader(Table table) {
        this.table = table;
        keys = new IndexKeys(table);
        List<Column> columns = table.def().columns();
        for (int i = 0; i < columns.size(); i++) {
            positions.put(columns.get(i).name(), i);
            parsers.add(DatumParser.of(columns.get(i).type()));
        }
        primary = table.primary().def().positions();
    }

    /**
     * Parses a change.
     *
     * @throws LineException if it does not fit the table
     */
    RowChange read(Change change) {
        if (table.def().columns().stream().anyMatch(Column::hidden)) {
            throw new LineException(
                    change.line(),
                    "table " + table.name() + " has no primary key, so a change cannot identify its row");
        }
        Row values = new Row(table.def().columns().size());
        boolean[] given = new boolean[values.columns()];
        fill(change, change.values(), values, given);
        Row key = values;
        if (!change.key().isEmpty()) {
            key = new Row(values.columns());
            fill(change, change.key(), key, new boolean[values.columns()]);
            completeKey(change, key, values, given);
        }
        requireKey(change, key);
        boolean whole = change.kind() == Kind.INSERT || all(given);
        if (change.kind() != Kind.DELETE) {
            checkNulls(change, values, given);
            if (change.kind() == Kind.INSERT) {
                complete(change, values, given);
                requireKey(change, values);
            }
        }
        byte[] oldKey = keys.primaryKey(key);
        byte[] newKey = change.kind() == Kind.DELETE ? oldKey : keys.primaryKey(values);
        if (change.kind() == Kind.INSERT && !Arrays.equals(oldKey, newKey)) {
            throw new LineException(change.line(), "key and row of an insert have different primary keys");
        }
        return new RowChange(
                change.line(), table.name(), change.kind(), oldKey, newKey, key, values, whole ? null : given);
    }

    /** Copies key columns that the values leave out: they do not change. */
    private void completeKey(Change change, Row key, Row values, boolean[] given) {
        if (change.kind() != Kind.DELETE) {
            for (int column : primary) {
                if (!given[column]) {
                    values.copySlot(column, key, column);
                    given[column] = true;
                }
            }
        }
    }

    private void fill(Change change, Columns columns, Row row, boolean[] given) {
        for (int i = 0; i < columns.size(); i++) {
            Integer column = positions.get(columns.name(i));
            if (column == null) {
                throw new LineException(change.line(), "table " + table.name() + " has no column " + columns.name(i));
            }
            given[column] = true;
            String text = columns.text(i);
            if (text == null) {
                row.setNull(column);
            } else {
                put(change, row, column, text);
            }
        }
    }

    private void put(Change change, Row row, int column, String text) {
        DatumProblem problem = parsers.get(column).parse(text, row, column);
        if (problem != null) {
            Column declared = table.def().columns().get(column);
            throw new LineException(
                    change.line(),
                    "column " + declared.name() + " " + declared.type().sql() + ": '" + text + "': "
                            + problem.message());
        }
    }

    private void requireKey(Change change, Row row) {
        for (int column : primary) {
            if (row.isNull(column)) {
                throw new LineException(
                        change.line(),
                        "column " + table.def().columns().get(column).name() + " of the primary key of table "
                                + table.name() + " is missing");
            }
        }
    }

    private void checkNulls(Change change, Row values, boolean[] given) {
        for (int i = 0; i < given.length; i++) {
            Column column = table.def().columns().get(i);
            if (given[i] && values.isNull(i) && !column.nullable()) {
                throw new LineException(change.line(), "column " + column.name() + " must not be NULL");
            }
        }
    }

    /** Sets columns that an insert leaves out to their defaults. */
    private void complete(Change change, Row values, boolean[] given) {
        for (int i = 0; i < given.length; i++) {
            if (given[i]) {
                continue;
            }
            Column column = table.def().columns().get(i);
            String text = column.defaultText();
            if (text != null) {
                put(change, values, i, text);
            } else if (!column.nullable()) {
                throw new LineException(change.line(), "column " + column.name() + " must not be NULL; it is missing");
            }
        }
    }

    private static boolean all(boolean[] given) {
        for (boolean each : given) {
            if (!each) {
                return false;
            }
        }
        return true;
    }
}
