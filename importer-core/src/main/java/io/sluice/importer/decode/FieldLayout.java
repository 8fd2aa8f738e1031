package io.sluice.importer.decode;

import io.sluice.api.row.Row;
import io.sluice.api.schema.Column;
import io.sluice.api.schema.TableDef;
import io.sluice.api.text.DatumParser;
import io.sluice.api.text.DatumParsers;
import io.sluice.api.text.DatumProblem;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What becomes of each field of a record: its column, its parser, whether it may be NULL. Immutable. */
final class FieldLayout {
    private static final DatumProblem NULL_REFUSED =
            new DatumProblem(DatumProblem.Code.NOT_NULL, "is NOT NULL but the field is NULL");

    private final TableDef table;
    private final int[] columns;
    private final DatumParser[] parsers;
    private final boolean[] nullable;
    private final byte[] nullText;

    FieldLayout(TableDef table, ColumnMapping mapping, @Nullable String nullText) {
        this.table = table;
        this.columns = mapping.columns();
        this.nullText = nullText == null ? new byte[0] : nullText.getBytes(StandardCharsets.UTF_8);
        parsers = new DatumParser[columns.length];
        nullable = new boolean[columns.length];
        for (int i = 0; i < columns.length; i++) {
            Column column = table.columns().get(columns[i]);
            parsers[i] = DatumParsers.of(column.type());
            nullable[i] = column.nullable();
        }
    }

    /** Layout for the fields of one file. */
    static FieldLayout of(CsvFormat format, byte @Nullable [] header, String fileName) {
        ColumnMapping mapping;
        if (header == null || format.columns() != null) {
            mapping = ColumnMapping.of(format.table(), format.columns());
        } else {
            mapping = ColumnMapping.byName(
                    format.table(), HeaderReader.names(header, format.dialect()), fileName + ", header");
        }
        return new FieldLayout(format.table(), mapping, format.dialect().nullText());
    }

    int fields() {
        return columns.length;
    }

    /** Fills the row's slot from one field as it stands in the file; null when that went well. */
    @Nullable
    DatumProblem set(Row row, int field, byte[] buffer, int from, int to, boolean quoted) {
        return !quoted && isNullText(buffer, from, to)
                ? setNull(row, field)
                : parsers[field].parse(buffer, from, to, row, columns[field]);
    }

    /** Makes the row's slot NULL; null when that is allowed. */
    @Nullable
    DatumProblem setNull(Row row, int field) {
        if (!nullable[field]) {
            return NULL_REFUSED;
        }
        row.setNull(columns[field]);
        return null;
    }

    private boolean isNullText(byte[] buffer, int from, int to) {
        return to - from == nullText.length
                && (from == to || Arrays.equals(buffer, from, to, nullText, 0, nullText.length));
    }

    String columnName(int field) {
        return table.columns().get(columns[field]).name();
    }

    /** The problem of a record with a number of fields other than the layout's. */
    String fieldCountMessage(int found) {
        Set<Integer> used = new HashSet<>();
        Arrays.stream(columns).forEach(used::add);
        return "has " + found + (found == 1 ? " field" : " fields") + ", expected " + columns.length
                + (used.size() == table.visibleColumns().size() ? "" : " (see --columns or the header)");
    }
}
