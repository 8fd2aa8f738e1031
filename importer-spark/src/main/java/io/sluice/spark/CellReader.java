package io.sluice.spark;

import io.sluice.importer.decode.ColumnDefaults;
import io.sluice.importer.decode.Reject;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import org.jspecify.annotations.Nullable;

/** Parses the cells of a DataFrame's rows. For one task. */
final class CellReader {
    private static final long MICROS = 1_000_000;

    private final List<Column> columns;
    private final int[] positions;
    private final CellColumns.Form[] forms;
    /** The parser of each cell. */
    private final DatumParser[] parsers;

    private final ColumnDefaults defaults;
    private final Row row;

    CellReader(Table table, CellColumns cells) {
        columns = table.def().columns();
        positions = cells.columns();
        forms = cells.forms();
        parsers = Arrays.stream(positions)
                .mapToObj(position -> DatumParser.of(columns.get(position).type()))
                .toArray(DatumParser[]::new);
        defaults =
                ColumnDefaults.of(table.def(), Arrays.stream(positions).boxed().toList(), new ArrayList<>());
        row = new Row(columns.size());
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
        for (int i = 0; i < positions.length && problem == null; i++) {
            if (from.isNullAt(i)) {
                problem = setNull(positions[i]);
            } else if (forms[i] == CellColumns.Form.TEXT) {
                problem = setText(from, i);
            } else if (forms[i] == CellColumns.Form.FLOATING) {
                problem = setDouble(from.getDouble(i), i);
            } else {
                problem = setLong(forms[i] == CellColumns.Form.DAYS ? from.getInt(i) : from.getLong(i), i);
            }
        }
        return problem;
    }

    private @Nullable String setNull(int position) {
        Column column = columns.get(position);
        if (!column.nullable()) {
            return "column " + column.name() + ": is NOT NULL but the value is NULL";
        }
        row.setNull(position);
        return null;
    }

    private @Nullable String setText(InternalRow from, int cell) {
        if (from instanceof UnsafeRow unsafe && unsafe.getBaseObject() instanceof byte[] bytes) {
            // Offset and length, as UnsafeRow.getUTF8String reads them; without its objects and copies.
            long view = unsafe.getLong(cell);
            int start = (int) (unsafe.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET) + (int) (view >>> Integer.SIZE);
            return parse(bytes, start, start + (int) view, cell);
        }
        byte[] text = from.getUTF8String(cell).getBytes();
        return parse(text, 0, text.length, cell);
    }

    private @Nullable String setLong(long value, int cell) {
        ColumnType type = columns.get(positions[cell]).type();
        boolean floating = type.kind() == TypeKind.FLOAT4 || type.kind() == TypeKind.FLOAT8;
        if (floating) {
            return setExact(value, type, cell);
        }
        if (forms[cell] == CellColumns.Form.WHOLE && value >= type.minInt() && value <= type.maxInt()) {
            row.setLong(positions[cell], value);
            return null;
        }
        byte[] text =
                switch (forms[cell]) {
                    case MICROS -> timestamp(value, "+00");
                    case LOCAL -> timestamp(value, "");
                    case DAYS -> date(value);
                    case WHOLE, FLOATING, TEXT -> Long.toString(value).getBytes(StandardCharsets.US_ASCII);
                };
        return parse(text, 0, text.length, cell);
    }

    private @Nullable String setExact(long value, ColumnType type, int cell) {
        double floating = type.kind() == TypeKind.FLOAT4 ? (float) value : (double) value;
        // The largest long rounds up to 2^63, which comes back as that long.
        if ((long) floating != value || floating == 0x1p63) {
            return "column " + columns.get(positions[cell]).name() + ": out of range for " + type.sql()
                    + ": the whole number would be rounded; declare INT8 or DECIMAL; the value is '" + value + "'";
        }
        row.setDouble(positions[cell], floating);
        return null;
    }

    /** Sets the nearest number of the column. A FLOAT widens without a text, which would be another FLOAT8. */
    private @Nullable String setDouble(double value, int cell) {
        boolean single = columns.get(positions[cell]).type().kind() == TypeKind.FLOAT4;
        double nearest = single ? (float) value : value;
        if (Double.isInfinite(nearest) != Double.isInfinite(value) || (nearest == 0 && value != 0)) {
            byte[] text = Double.toString(value).getBytes(StandardCharsets.US_ASCII);
            return parse(text, 0, text.length, cell);
        }
        // One NaN for all: equal rows have equal bytes.
        row.setDouble(positions[cell], Double.isNaN(nearest) ? Double.NaN : nearest);
        return null;
    }

    private @Nullable String parse(byte[] text, int start, int end, int cell) {
        DatumProblem found = parsers[cell].parse(text, start, end, row, positions[cell]);
        return found == null
                ? null
                : "column " + columns.get(positions[cell]).name() + ": "
                        + Reject.withValue(found, text, start, end).message();
    }

    /**
     * The text of a timestamp.
     *
     * @param zone follows the time
     */
    static byte[] timestamp(long micros, String zone) {
        LocalDateTime time = LocalDateTime.ofEpochSecond(
                Math.floorDiv(micros, MICROS), (int) Math.floorMod(micros, MICROS) * 1000, ZoneOffset.UTC);
        StringBuilder text = date(time.toLocalDate()).append(' ');
        pad(text, time.getHour(), 2).append(':');
        pad(text, time.getMinute(), 2).append(':');
        pad(text, time.getSecond(), 2).append('.');
        pad(text, time.getNano() / 1000, 6).append(zone);
        return ended(text, time.getYear());
    }

    private static byte[] date(long days) {
        LocalDate date = LocalDate.ofEpochDay(days);
        return ended(date(date), date.getYear());
    }

    private static StringBuilder date(LocalDate date) {
        int year = date.getYear();
        StringBuilder text = new StringBuilder();
        pad(text, year > 0 ? year : 1 - year, 4).append('-');
        pad(text, date.getMonthValue(), 2).append('-');
        return pad(text, date.getDayOfMonth(), 2);
    }

    private static byte[] ended(StringBuilder text, int year) {
        return text.append(year > 0 ? "" : " BC").toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static StringBuilder pad(StringBuilder text, int number, int digits) {
        String plain = Integer.toString(number);
        return text.append("0".repeat(Math.max(0, digits - plain.length()))).append(plain);
    }
}
