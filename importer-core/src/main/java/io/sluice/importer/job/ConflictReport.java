package io.sluice.importer.job;

import io.sluice.api.error.BadInputException;
import io.sluice.api.kv.RowDecoder;
import io.sluice.api.row.Row;
import io.sluice.api.schema.Column;
import io.sluice.api.schema.IndexDef;
import io.sluice.api.schema.Table;
import io.sluice.api.text.DatumFormatter;
import io.sluice.importer.sort.ConflictLog;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Tells the user which rows collide. */
final class ConflictReport {
    private final Table table;
    private final RowDecoder decoder;

    ConflictReport(Table table) {
        this.table = table;
        decoder = new RowDecoder(table);
    }

    /** The error for an import that must not have conflicts. */
    BadInputException refuse(ConflictLog log) {
        StringBuilder message = new StringBuilder();
        message.append(log.conflicts())
                .append(log.conflicts() == 1 ? " row has" : " rows have")
                .append(" the key of another row of the input, but other values; nothing was imported.\n");
        for (ConflictLog.Conflict conflict : log.first()) {
            IndexDef index = table.indexes().get(conflict.index()).def();
            message.append("index ")
                    .append(index.name())
                    .append(":\n    ")
                    .append(row(conflict, conflict.value()))
                    .append("\n    ")
                    .append(row(conflict, conflict.otherValue()))
                    .append('\n');
        }
        if (log.conflicts() > log.first().size()) {
            message.append("… and ")
                    .append(log.conflicts() - log.first().size())
                    .append(" more\n");
        }
        message.append("Remove one row of each pair, or change the key or the UNIQUE index of the schema.");
        return new BadInputException(message.toString());
    }

    private String row(ConflictLog.Conflict conflict, byte[] value) {
        Row row = new Row(table.def().columns().size());
        Iterable<Integer> shown;
        if (conflict.index() == 0) {
            decoder.decodePrimary(conflict.key(), value, row);
            shown = IntStream.range(0, row.columns()).boxed().toList();
        } else {
            decoder.decodeSecondary(conflict.index(), conflict.key(), value, row);
            shown = indexedAndPrimary(table.indexes().get(conflict.index()).def());
        }
        List<String> datums = new ArrayList<>();
        for (int i : shown) {
            Column column = table.def().columns().get(i);
            String text = DatumFormatter.format(row, i, column.type());
            datums.add(column.name() + " = " + (text == null ? "NULL" : text));
        }
        return String.join(", ", datums);
    }

    private Set<Integer> indexedAndPrimary(IndexDef index) {
        Set<Integer> columns = new LinkedHashSet<>();
        index.columns().forEach(column -> columns.add(column.column()));
        table.def().primary().columns().forEach(column -> columns.add(column.column()));
        return columns;
    }
}
