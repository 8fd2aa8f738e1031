package io.sluice.cli.output;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The columns of a table that are shown, and rows in the forms they are shown in. Immutable. */
public final class RowView {
    /** The forms rows are printed in. */
    public enum Format {
        /** A line {@code column = value} per column. */
        TEXT,
        /** A CSV record (RFC 4180). */
        CSV,
        /** A JSON object on one line. */
        JSON
    }

    private final List<Column> columns;
    private final List<Integer> positions;
    private final int widestName;

    /** @param hidden whether hidden columns (the row id of a table without a primary key) are shown, too */
    public RowView(TableDef table, boolean hidden) {
        this(table, hidden ? IntStream.range(0, table.columns().size()).boxed().toList() : table.visibleColumns());
    }

    /** @param positions positions of the columns that are shown, in this order */
    public RowView(TableDef table, List<Integer> positions) {
        this.positions = List.copyOf(positions);
        columns = positions.stream().map(table.columns()::get).toList();
        widestName = columns.stream()
                .mapToInt(column -> column.name().length())
                .max()
                .orElse(0);
    }

    public List<String> lines(List<@Nullable String> row, Format format) {
        return switch (format) {
            case TEXT -> text(row);
            case CSV -> List.of(csv(row));
            case JSON -> List.of(json(row));
        };
    }

    /** The names as a CSV record. */
    public String csvHeader() {
        return CsvRecord.format(
                columns.stream().<@Nullable String>map(Column::name).toList());
    }

    private String csv(List<@Nullable String> row) {
        List<@Nullable String> shown = new ArrayList<>(positions.size());
        for (int position : positions) {
            shown.add(row.get(position));
        }
        return CsvRecord.format(shown);
    }

    private String json(List<@Nullable String> row) {
        return Json.object(json -> {
            for (int i = 0; i < columns.size(); i++) {
                json.writeFieldName(columns.get(i).name());
                writeDatum(json, columns.get(i), row.get(positions.get(i)));
            }
        });
    }

    /** The row as lines {@code column = value}; NULL stands bare, text that could be mistaken for it in quotes. */
    private List<String> text(List<@Nullable String> row) {
        List<String> lines = new ArrayList<>(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            String name = columns.get(i).name();
            lines.add(name + " ".repeat(widestName - name.length()) + " = " + text(row.get(positions.get(i))));
        }
        return lines;
    }

    private static String text(@Nullable String datum) {
        if (datum == null) {
            return "NULL";
        }
        return datum.isEmpty() || datum.equals("NULL") ? '"' + datum + '"' : datum;
    }

    /**
     * Numbers that every JSON reader keeps as they are go bare. INT8 and DECIMAL may have more digits than a double
     * holds, so they are text; so is everything else but JSON, which is written as it is.
     */
    private static void writeDatum(JsonGenerator json, Column column, @Nullable String datum) throws IOException {
        if (datum == null) {
            json.writeNull();
            return;
        }
        switch (column.type().kind()) {
            case INT2, INT4 -> json.writeNumber(datum);
            case BOOL -> json.writeBoolean(datum.startsWith("t"));
            case JSON -> json.writeRawValue(datum);
            default -> json.writeString(datum);
        }
    }
}
