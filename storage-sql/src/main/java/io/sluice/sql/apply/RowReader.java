package io.sluice.sql.apply;

import io.sluice.model.kv.IndexKeys;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import io.sluice.sql.apply.Change.Columns;
import io.sluice.sql.apply.Change.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Parses the values of one table's changes. Immutable and thread-safe. */
final class RowReader {
    /** Types whose numbers could be days, or any fraction of a second. */
    private static final Set<TypeKind> NO_NUMBERS = EnumSet.of(
            TypeKind.DATE, TypeKind.TIME, TypeKind.TIMETZ, TypeKind.TIMESTAMP, TypeKind.TIMESTAMPTZ, TypeKind.INTERVAL);

    /** The value that Debezium writes for a large one of PostgreSQL that an update has not changed. */
    private static final String UNAVAILABLE = "__debezium_unavailable_value";

    private static final String UNAVAILABLE_BYTES =
            Base64.getEncoder().encodeToString(UNAVAILABLE.getBytes(StandardCharsets.US_ASCII));

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
        fill(change, change.values(), values, given, false);
        Row key = values;
        if (!change.key().isEmpty()) {
            key = new Row(values.columns());
            fill(change, change.key(), key, new boolean[values.columns()], true);
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

    /** @param keyOnly whether only the primary key counts: Debezium may have empty texts for other columns */
    private void fill(Change change, Columns columns, Row row, boolean[] given, boolean keyOnly) {
        for (int i = 0; i < columns.size(); i++) {
            Integer column = positions.get(columns.name(i));
            if (column == null) {
                throw new LineException(change.line(), "table " + table.name() + " has no column " + columns.name(i));
            }
            if (keyOnly && !primary.contains(column)) {
                continue;
            }
            String text = columns.text(i);
            if (columns.debezium() && text != null && isUnavailable(column, text)) {
                if (change.kind() == Kind.INSERT) {
                    throw refused(
                            change,
                            column,
                            text,
                            "Debezium does not know the value, since an update of the key has not changed it; set"
                                    + " REPLICA IDENTITY FULL for the table in PostgreSQL");
                }
                continue;
            }
            given[column] = true;
            if (text == null) {
                row.setNull(column);
            } else if (columns.isNumber(i) && NO_NUMBERS.contains(kind(column))) {
                throw refused(
                        change,
                        column,
                        text,
                        "a number has no unit here; write the value as text. Debezium does so with"
                                + " time.precision.mode=isostring and interval.handling.mode=string");
            } else if (columns.debezium() && kind(column) == TypeKind.BYTES) {
                putBase64(change, row, column, text);
            } else {
                put(change, row, column, columns.debezium() ? withoutZone(column, text) : text);
            }
        }
    }

    private boolean isUnavailable(int column, String text) {
        return text.equals(kind(column) == TypeKind.BYTES ? UNAVAILABLE_BYTES : UNAVAILABLE);
    }

    private void put(Change change, Row row, int column, String text) {
        DatumProblem problem = parsers.get(column).parse(text, row, column);
        if (problem != null) {
            throw refused(change, column, text, problem.message());
        }
    }

    /** Sets bytes as Debezium writes them, unless its setting binary.handling.mode says otherwise. */
    private void putBase64(Change change, Row row, int column, String text) {
        try {
            put(
                    change,
                    row,
                    column,
                    "\\x" + HexFormat.of().formatHex(Base64.getDecoder().decode(text)));
        } catch (IllegalArgumentException e) {
            throw refused(
                    change,
                    column,
                    text,
                    "bytes must be in Base64 here, as Debezium writes them with binary.handling.mode=bytes");
        }
    }

    /** Debezium's dates and times of day say that they are in UTC, which these types leave open. */
    private String withoutZone(int column, String text) {
        boolean local = kind(column) == TypeKind.DATE || kind(column) == TypeKind.TIME;
        return local && text.endsWith("Z") ? text.substring(0, text.length() - 1) : text;
    }

    private TypeKind kind(int column) {
        return table.def().columns().get(column).type().kind();
    }

    private LineException refused(Change change, int column, String text, String why) {
        Column declared = table.def().columns().get(column);
        return new LineException(
                change.line(),
                "column " + declared.name() + " " + declared.type().sql() + ": '" + text + "': " + why);
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
