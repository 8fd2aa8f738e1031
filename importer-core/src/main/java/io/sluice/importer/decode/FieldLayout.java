package io.sluice.importer.decode;

import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The column, parser and nullability of each field of a record. Immutable. */
final class FieldLayout {
    private static final DatumProblem NULL_REFUSED =
            new DatumProblem(DatumProblem.Code.NOT_NULL, "is NOT NULL but the field is NULL");

    private static final DatumParser SKIP = (buffer, from, to, row, column) -> null;

    private final TableDef table;
    private final int[] columns;
    private final DatumParser[] parsers;
    private final boolean[] nullable;
    private final byte[][] nullTexts;
    private final boolean quotedNull;
    private final boolean shortRows;
    private final boolean longRows;
    private final ColumnDefaults defaults;

    FieldLayout(TableDef table, ColumnMapping mapping, CsvDialect dialect) {
        this.table = table;
        this.columns = mapping.columns();
        shortRows = dialect.has(Trait.SHORT_ROWS);
        longRows = dialect.has(Trait.LONG_ROWS);
        // Any field may be missing in a short row.
        defaults = shortRows ? ColumnDefaults.ofAll(table, new ArrayList<>()) : mapping.defaults(table);
        nullTexts = dialect.nullBytes();
        quotedNull = dialect.has(Trait.QUOTED_NULL);
        parsers = new DatumParser[columns.length];
        nullable = new boolean[columns.length];
        for (int i = 0; i < columns.length; i++) {
            if (columns[i] == ColumnMapping.SKIPPED) {
                parsers[i] = SKIP;
                nullable[i] = true;
                continue;
            }
            Column column = table.columns().get(columns[i]);
            DatumParser parser = DatumParser.of(column.type());
            ValueConverter converter = dialect.values().converter(column);
            parsers[i] = converter == null ? parser : converter.before(parser);
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
                    format.table(), CommonsFormats.names(header, format.dialect()), fileName + ", header");
        }
        return new FieldLayout(format.table(), mapping, format.dialect());
    }

    int fields() {
        return columns.length;
    }

    /** Whether a record of so many fields may be a row. */
    boolean takes(int fields) {
        return fields == columns.length || (fields < columns.length ? shortRows : longRows);
    }

    /**
     * Checks a column whose field is missing in a short row, and has its default or NULL; returns a problem or null.
     */
    @Nullable
    DatumProblem missing(Row row, int field) {
        return nullable[field] || !row.isNull(columns[field]) ? null : NULL_REFUSED;
    }

    /** Clears a row and sets the defaults of columns that no field fills. */
    void begin(Row row) {
        row.clear();
        defaults.fill(row);
    }

    /** Fills the row's slot from the raw bytes of a field; returns a problem or null. */
    @Nullable
    DatumProblem set(Row row, int field, byte[] buffer, int from, int to, boolean quoted) {
        return (!quoted || quotedNull) && isNullText(buffer, from, to)
                ? setNull(row, field)
                : withValue(parsers[field].parse(buffer, from, to, row, columns[field]), buffer, from, to);
    }

    /** Sets the row's slot to NULL; returns a problem or null. */
    @Nullable
    DatumProblem setNull(Row row, int field) {
        if (!nullable[field]) {
            return NULL_REFUSED;
        }
        if (columns[field] != ColumnMapping.SKIPPED) {
            row.setNull(columns[field]);
        }
        return null;
    }

    private boolean isNullText(byte[] buffer, int from, int to) {
        for (byte[] text : nullTexts) {
            if (to - from == text.length && (from == to || Arrays.equals(buffer, from, to, text, 0, text.length))) {
                return true;
            }
        }
        return false;
    }

    /** Fills the row's slot with a non-NULL value, after quotes and escapes were removed; returns a problem or null. */
    @Nullable
    DatumProblem setValue(Row row, int field, byte[] value) {
        return withValue(parsers[field].parse(value, 0, value.length, row, columns[field]), value, 0, value.length);
    }

    private static @Nullable DatumProblem withValue(@Nullable DatumProblem problem, byte[] text, int from, int to) {
        return problem == null ? null : Reject.withValue(problem, text, from, to);
    }

    /** Name of the column that a field fills, or null. */
    @Nullable
    String columnName(int field) {
        int column = field < columns.length ? columns[field] : ColumnMapping.SKIPPED;
        return column == ColumnMapping.SKIPPED
                ? null
                : table.columns().get(column).name();
    }

    /** The message for a record with a wrong number of fields. */
    String fieldCountMessage(int found) {
        Set<Integer> used = new HashSet<>();
        Arrays.stream(columns).filter(column -> column != ColumnMapping.SKIPPED).forEach(used::add);
        return "has " + found + (found == 1 ? " field" : " fields") + ", expected " + columns.length
                + (used.size() == columns.length
                                && used.size() == table.visibleColumns().size()
                        ? ""
                        : " (see --columns or the header)");
    }

    /** Caches the field layout of the current file, since each file may have its own header. */
    static final class Cache {
        private final CsvFormat format;
        private @Nullable InputFile file;
        private @Nullable FieldLayout layout;

        Cache(CsvFormat format) {
            this.format = format;
        }

        FieldLayout of(Split split) {
            FieldLayout known = layout;
            if (known == null || !split.file().equals(file)) {
                known = FieldLayout.of(format, split.header(), split.file().name());
                layout = known;
                file = split.file();
            }
            return known;
        }
    }
}
