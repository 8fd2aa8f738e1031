package io.sluice.spark;

import io.sluice.importer.decode.ColumnDefaults;
import io.sluice.importer.decode.Reject;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.Table;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/** Parses the cells of a DataFrame's rows. For one task. */
final class CellReader {
    private static final long MICROS = 1_000_000;

    private final Table table;
    private final CellColumns cells;
    private final DatumParser[] parsers;
    private final ColumnDefaults defaults;
    private final Row row;

    CellReader(Table table, CellColumns cells) {
        this.table = table;
        this.cells = cells;
        parsers = table.def().columns().stream()
                .map(column -> DatumParser.of(column.type()))
                .toArray(DatumParser[]::new);
        defaults = ColumnDefaults.of(
                table.def(), Arrays.stream(cells.columns()).boxed().toList(), new ArrayList<>());
        row = new Row(table.def().columns().size());
    }

    /** The last row that was read; valid until the next one. */
    Row row() {
        return row;
    }

    /** Reads a row; returns its problem, or null if it is a row of the table. */
    @Nullable
    String read(InternalRow from) {
        row.clear();
        defaults.fill(row);
        String problem = null;
        for (int i = 0; i < cells.columns().length && problem == null; i++) {
            problem = set(from, i, cells.columns()[i]);
        }
        return problem;
    }

    private @Nullable String set(InternalRow from, int cell, int position) {
        Column column = table.def().columns().get(position);
        if (from.isNullAt(cell)) {
            if (!column.nullable()) {
                return "column " + column.name() + ": is NOT NULL but the value is NULL";
            }
            row.setNull(position);
            return null;
        }
        byte[] text = from.getUTF8String(cell).getBytes();
        if (cells.micros()[cell]) {
            text = moment(Long.parseLong(new String(text, StandardCharsets.US_ASCII)));
        }
        DatumProblem found = parsers[position].parse(text, 0, text.length, row, position);
        return found == null
                ? null
                : "column " + column.name() + ": "
                        + Reject.withValue(found, text, 0, text.length).message();
    }

    /** The text of a TIMESTAMPTZ in UTC. */
    static byte[] moment(long micros) {
        LocalDateTime time = LocalDateTime.ofEpochSecond(
                Math.floorDiv(micros, MICROS), (int) Math.floorMod(micros, MICROS) * 1000, ZoneOffset.UTC);
        int year = time.getYear();
        StringBuilder text = new StringBuilder();
        pad(text, year > 0 ? year : 1 - year, 4).append('-');
        pad(text, time.getMonthValue(), 2).append('-');
        pad(text, time.getDayOfMonth(), 2).append(' ');
        pad(text, time.getHour(), 2).append(':');
        pad(text, time.getMinute(), 2).append(':');
        pad(text, time.getSecond(), 2).append('.');
        pad(text, time.getNano() / 1000, 6).append("+00");
        return text.append(year > 0 ? "" : " BC").toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static StringBuilder pad(StringBuilder text, int number, int digits) {
        String plain = Integer.toString(number);
        return text.append("0".repeat(Math.max(0, digits - plain.length()))).append(plain);
    }
}
