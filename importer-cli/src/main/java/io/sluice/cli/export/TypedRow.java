package io.sluice.cli.export;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Text datums as a typed row, for formats with types. Refuses values that Avro and Parquet cannot hold. */
final class TypedRow {
    /** The last second whose microseconds since 1970 fit 64 bits: in the year 294247. */
    private static final long LAST_SECOND = Long.MAX_VALUE / 1_000_000 - 1;

    private final String option;
    private final List<Column> columns;
    private final List<Integer> positions;
    private final List<DatumParser> parsers;
    private final Row row;

    /**
     * @param positions the columns that are set; all others stay NULL
     * @param format the format's name in messages
     */
    TypedRow(TableDef def, List<Integer> positions, ExportFormat format) {
        option = "--format " + format.label();
        columns = def.columns();
        this.positions = positions;
        parsers = columns.stream().map(column -> DatumParser.of(column.type())).toList();
        row = new Row(columns.size());
    }

    /** The row of these datums, valid until the next call. */
    Row of(List<@Nullable String> datums) {
        row.clear();
        for (int position : positions) {
            String text = datums.get(position);
            if (text == null) {
                continue;
            }
            DatumProblem problem = parsers.get(position).parse(text, row, position);
            if (problem != null) {
                throw new OperationFailedException("column "
                        + columns.get(position).name() + ": the store returned a text that " + problem.message());
            }
            check(position, text);
        }
        return row;
    }

    private void check(int position, String text) {
        Column column = columns.get(position);
        boolean fits =
                switch (column.type().kind()) {
                    case DATE -> row.longValue(position) == (int) row.longValue(position);
                    case TIMESTAMP, TIMESTAMPTZ -> row.seconds(position) <= LAST_SECOND;
                    case DECIMAL ->
                        column.type().precision() == 0
                                || row.form(position) == Row.Form.VALUE
                                || row.form(position) == Row.Form.BIG_DECIMAL;
                    default -> true;
                };
        if (!fits) {
            throw new BadInputException(option + ": a row has " + Objects.requireNonNull(text) + " in column "
                    + column.name() + ", for which the format has no value of this type; use --format csv or jsonl");
        }
    }
}
