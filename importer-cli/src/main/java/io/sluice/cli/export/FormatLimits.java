package io.sluice.cli.export;

import io.sluice.model.error.BadInputException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Refuses values that an import of the format would not read back: those that Avro and Parquet cannot hold, and
 * documents {@code null}, since JSON lines have that for NULL.
 *
 * @param positions the columns that are written
 * @param format names the format in messages
 */
record FormatLimits(TableDef def, List<Integer> positions, ExportFormat format) {
    /** The last second whose microseconds since 1970 fit 64 bits: in the year 294247. */
    private static final long LAST_SECOND = Long.MAX_VALUE / 1_000_000 - 1;

    /**
     * Checks a row.
     *
     * @param datums its values as texts, for messages
     */
    void check(Row row, List<@Nullable String> datums) {
        for (int position : positions) {
            Column column = def.columns().get(position);
            if (row.isNull(position)) {
                continue;
            }
            if (format == ExportFormat.JSONL) {
                if (column.type().kind() == TypeKind.JSON && "null".equals(datums.get(position))) {
                    throw new BadInputException("--format jsonl: a row has the document null in column " + column.name()
                            + ", which an import of JSON lines reads as NULL; use --format csv, avro or parquet");
                }
            } else if (!fits(row, position, column)) {
                throw new BadInputException("--format " + format.label() + ": a row has " + datums.get(position)
                        + " in column " + column.name()
                        + ", for which the format has no value of this type; use --format csv or jsonl");
            }
        }
    }

    private static boolean fits(Row row, int position, Column column) {
        return switch (column.type().kind()) {
            case DATE -> row.longValue(position) == (int) row.longValue(position);
            case TIMESTAMP, TIMESTAMPTZ -> row.seconds(position) <= LAST_SECOND;
            case DECIMAL ->
                column.type().precision() == 0
                        || row.form(position) == Row.Form.VALUE
                        || row.form(position) == Row.Form.BIG_DECIMAL;
            default -> true;
        };
    }
}
