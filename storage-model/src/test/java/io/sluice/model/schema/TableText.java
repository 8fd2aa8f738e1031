package io.sluice.model.schema;

import io.sluice.model.schema.IndexColumn.Direction;
import io.sluice.model.schema.IndexDef.Interleave;
import java.util.List;
import java.util.stream.Collectors;

/** Formats a table definition as text, one line per column and index. */
final class TableText {
    private TableText() {}

    static String of(TableDef table) {
        StringBuilder text = new StringBuilder("table ").append(table.name()).append('\n');
        for (Column column : table.columns()) {
            text.append(column.id())
                    .append(' ')
                    .append(column.name())
                    .append(' ')
                    .append(column.type().sql());
            text.append(column.nullable() ? "" : " not null")
                    .append(column.hidden() ? " hidden" : "")
                    .append(column.family() == 0 ? "\n" : " in family " + column.family() + "\n");
        }
        for (IndexDef index : table.indexes()) {
            text.append(of(table, index)).append('\n');
        }
        for (ForeignKey key : table.foreignKeys()) {
            text.append("references ")
                    .append(names(table, key.columns()))
                    .append(" -> ")
                    .append(key.parent());
            text.append(key.parentColumns()).append(key.onDeleteCascade() ? " cascade\n" : "\n");
        }
        return text.toString();
    }

    private static String of(TableDef table, IndexDef index) {
        String columns = index.columns().stream()
                .map(c -> table.columns().get(c.column()).name() + (c.direction() == Direction.DESC ? " desc" : ""))
                .collect(Collectors.joining(", ", "(", ")"));
        Interleave interleave = index.interleave();
        return (index.unique() ? "unique " : "index ")
                + index.id()
                + ' '
                + index.name()
                + ' '
                + columns
                + (index.storing().isEmpty() ? "" : " storing " + names(table, index.storing()))
                + (interleave == null ? "" : " in " + interleave.parent() + "/" + interleave.prefixColumns());
    }

    private static List<String> names(TableDef table, List<Integer> positions) {
        return positions.stream().map(p -> table.columns().get(p).name()).toList();
    }
}
