package io.sluice.importer.job.verify;

import io.sluice.api.node.OverlapReport;
import io.sluice.importer.conflict.Contender;
import io.sluice.importer.conflict.Fingerprint;
import io.sluice.importer.sort.ConflictLog;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.FailureCode;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.Table;
import io.sluice.model.text.DatumFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Builds the error that names the colliding rows and their positions in the input. */
public final class ConflictReport {
    /** Most conflicts that the error names. */
    public static final int SHOWN = 10;

    private static final String INDENT = "\n    ";

    private final Table table;
    private final List<Contender> rows;
    private final RowDecoder decoder;
    private final boolean plain;
    private final String policies;

    /**
     * Creates the report.
     *
     * @param plain whether keys and values are in the form of another database
     * @param rows the rows of the input that hold the keys, as far as their positions are known
     */
    public ConflictReport(Table table, boolean plain, List<Contender> rows) {
        this(table, plain, rows, "first, last or capture");
    }

    private ConflictReport(Table table, boolean plain, List<Contender> rows, String policies) {
        this.table = table;
        this.plain = plain;
        this.rows = rows;
        this.policies = policies;
        // Of a table with several column families, it decodes a joined entry, or family 0 of one.
        decoder = new RowDecoder(table.inOneFamily());
    }

    /** Creates the report of a staged set, from which no row can be left out. */
    public static ConflictReport ofSet(Table table) {
        return new ConflictReport(table, false, List.of(), "last");
    }

    /**
     * The error for an import under policy {@code error}.
     *
     * @param collisions the first keys of the input that the table has with other values
     * @param holders the table's rows with those keys, by fingerprint of the key
     */
    public BadInputException refuse(
            ConflictLog log, List<OverlapReport.IndexKey> collisions, Map<Fingerprint, OverlapReport.Holder> holders) {
        StringBuilder message = new StringBuilder();
        message.append(log.conflicts())
                .append(log.conflicts() == 1 ? " row has" : " rows have")
                .append(" the key of another row of the ")
                .append(collisions.isEmpty() ? "input" : "input or of the table")
                .append(", but other values; nothing was imported.\n");
        int shown = 0;
        for (ConflictLog.Conflict conflict : log.first()) {
            message.append(indexOf(conflict.index()));
            if (table.def().families() > 1) {
                appendRows(message, conflict);
                shown++;
                continue;
            }
            message.append(INDENT)
                    .append(place(conflict, conflict.value()))
                    .append(row(conflict, conflict.value()))
                    .append(INDENT)
                    .append(place(conflict, conflict.otherValue()))
                    .append(row(conflict, conflict.otherValue()))
                    .append('\n');
            shown++;
        }
        for (int i = 0; i < collisions.size() && shown < SHOWN; i++, shown++) {
            append(message, collisions.get(i), holders);
        }
        if (log.conflicts() > shown) {
            message.append("… and ").append(log.conflicts() - shown).append(" more\n");
        }
        message.append("Remove one row of each pair, or change the key or the UNIQUE index of the schema;")
                .append(" or let --on-conflict " + policies + " choose.");
        return new BadInputException(message.toString(), FailureCode.CONFLICT);
    }

    /** Appends the first rows that hold a key; the conflict has values of column family 0 alone. */
    private void appendRows(StringBuilder message, ConflictLog.Conflict conflict) {
        Fingerprint key = Fingerprint.of(conflict.key());
        List<Contender> holders = rows.stream()
                .filter(row ->
                        row.keys().stream().anyMatch(held -> held.keyPrint().equals(key)))
                .limit(2)
                .toList();
        holders.forEach(row -> message.append(INDENT).append(row.place().describe()));
        message.append(holders.isEmpty() ? INDENT : ": ")
                .append(storedRow(conflict, conflict.value(), true))
                .append('\n');
    }

    private void append(
            StringBuilder message, OverlapReport.IndexKey collision, Map<Fingerprint, OverlapReport.Holder> holders) {
        Fingerprint key = Fingerprint.of(collision.key());
        message.append(indexOf(collision.ordinal()));
        rows.stream()
                .filter(row ->
                        row.keys().stream().anyMatch(held -> held.keyPrint().equals(key)))
                .findFirst()
                .ifPresent(row -> message.append(INDENT).append(row.place().describe()));
        OverlapReport.Holder holder = holders.get(key);
        if (holder != null) {
            ConflictLog.Conflict existing = new ConflictLog.Conflict(0, holder.key(), holder.value(), holder.value());
            message.append(INDENT)
                    .append("table ")
                    .append(table.name())
                    .append(": ")
                    .append(row(existing, holder.value()));
        }
        message.append('\n');
    }

    private String indexOf(int ordinal) {
        return "index " + table.indexes().get(ordinal).def().name() + ":";
    }

    /** The position of the row with that value and a colon; empty when the position is not known. */
    private String place(ConflictLog.Conflict conflict, byte[] value) {
        Fingerprint key = Fingerprint.of(conflict.key());
        Fingerprint print = Fingerprint.of(value);
        for (Contender row : rows) {
            for (Contender.HeldKey held : row.keys()) {
                if (held.keyPrint().equals(key) && held.value().equals(print)) {
                    return row.place().describe() + ": ";
                }
            }
        }
        return "";
    }

    private String row(ConflictLog.Conflict conflict, byte[] value) {
        return plain ? plainKey(conflict.key()) : storedRow(conflict, value, false);
    }

    /** A key in the form of another database, which {@link RowDecoder} does not read. */
    private String plainKey(byte[] key) {
        int from = new IndexKeys(table).span(0).start().length;
        return "key " + HexFormat.of().formatHex(key, from, key.length);
    }

    private String storedRow(ConflictLog.Conflict conflict, byte[] value, boolean keyAlone) {
        Row row = new Row(table.def().columns().size());
        Iterable<Integer> shown;
        if (conflict.index() == 0) {
            decoder.decodePrimary(conflict.key(), value, row);
            shown = keyAlone
                    ? table.primary().def().positions()
                    : IntStream.range(0, row.columns()).boxed().toList();
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
