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
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Reads the rows of a DataFrame, which come one by one or in batches, and parses their cells. For one task. */
final class CellReader {
    private static final long MICROS = 1_000_000;

    private final List<Column> columns;
    private final int[] positions;
    private final CellColumns.Form[] forms;
    private final DatumParser[] parsers;

    private final ColumnDefaults defaults;
    private final Row row;
    private final Iterator<?> source;
    /** The last row, if rows come one by one. */
    private @Nullable InternalRow oneRow;
    /** The last batch, if rows come in batches. */
    private @Nullable ColumnarBatch batch;
    /** Number of rows in the batch, or 1. */
    private int count;
    /** Number of them that were read. */
    private int done;
    /** The plain texts of the batch by cell; null if the cell has others. */
    private final @Nullable OnHeapColumnVector[] texts;
    /** The bytes of the plain texts by cell. */
    private final byte[][] bytes;

    /**
     * Creates a reader.
     *
     * @param source gives an {@link InternalRow} or a {@link ColumnarBatch} at a time
     */
    CellReader(Table table, CellColumns cells, Iterator<?> source) {
        columns = table.def().columns();
        positions = cells.columns();
        forms = cells.forms();
        parsers = Arrays.stream(positions)
                .mapToObj(position -> DatumParser.of(columns.get(position).type()))
                .toArray(DatumParser[]::new);
        defaults =
                ColumnDefaults.of(table.def(), Arrays.stream(positions).boxed().toList(), new ArrayList<>());
        row = new Row(columns.size());
        texts = new OnHeapColumnVector[positions.length];
        bytes = new byte[positions.length][];
        this.source = source;
    }

    /** Whether there is one more row. */
    boolean hasNext() {
        while (done == count && source.hasNext()) {
            open(source.next());
        }
        return done < count;
    }

    private void open(Object next) {
        done = 0;
        if (next instanceof ColumnarBatch current) {
            batch = current;
            count = current.numRows();
            for (int i = 0; i < positions.length; i++) {
                texts[i] = null;
                if (forms[i] == CellColumns.Form.TEXT
                        && current.column(i) instanceof OnHeapColumnVector text
                        && !text.hasDictionary()) {
                    texts[i] = text;
                    bytes[i] = text.arrayData().getByteBuffer(0, 0).array();
                }
            }
        } else {
            oneRow = (InternalRow) next;
            count = 1;
        }
    }

    /** The last row that was read; valid until the next one. */
    Row row() {
        return row;
    }

    /** Reads the next row; returns its problem, or null if it is a row of the table. */
    @Nullable
    String next() {
        int at = done++;
        return read(batch == null ? Objects.requireNonNull(oneRow) : batch.getRow(at), at);
    }

    private @Nullable String read(InternalRow from, int at) {
        row.clear();
        defaults.fill(row);
        String problem = null;
        for (int i = 0; i < positions.length && problem == null; i++) {
            problem = from.isNullAt(i)
                    ? setNull(positions[i])
                    : switch (forms[i]) {
                        case TEXT -> setText(from, i, at);
                        case BYTE -> setLong(from.getByte(i), i);
                        case SHORT -> setLong(from.getShort(i), i);
                        case INT -> setLong(from.getInt(i), i);
                        case LONG -> setLong(from.getLong(i), i);
                        case FLOAT -> setDouble(from.getFloat(i), i);
                        case DOUBLE -> setDouble(from.getDouble(i), i);
                        case MICROS -> parse(timestamp(from.getLong(i), "+00"), i);
                        case LOCAL -> parse(timestamp(from.getLong(i), ""), i);
                        case DAYS -> parse(date(from.getInt(i)), i);
                    };
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

    private @Nullable String setText(InternalRow from, int cell, int at) {
        OnHeapColumnVector plain = texts[cell];
        if (plain != null) {
            // As its getUTF8String reads them; without its objects.
            int start = plain.getArrayOffset(at);
            return parse(bytes[cell], start, start + plain.getArrayLength(at), cell);
        }
        if (from instanceof UnsafeRow unsafe && unsafe.getBaseObject() instanceof byte[] all) {
            // Offset and length, as UnsafeRow.getUTF8String reads them; without its objects and copies.
            long view = unsafe.getLong(cell);
            int start = (int) (unsafe.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET) + (int) (view >>> Integer.SIZE);
            return parse(all, start, start + (int) view, cell);
        }
        UTF8String text = from.getUTF8String(cell);
        if (text.getBaseObject() instanceof byte[] all) {
            int start = (int) (text.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET);
            return parse(all, start, start + text.numBytes(), cell);
        }
        return parse(text.getBytes(), cell);
    }

    private @Nullable String setLong(long value, int cell) {
        ColumnType type = columns.get(positions[cell]).type();
        boolean floating = type.kind() == TypeKind.FLOAT4 || type.kind() == TypeKind.FLOAT8;
        if (floating) {
            return setExact(value, type, cell);
        }
        if (value >= type.minInt() && value <= type.maxInt()) {
            row.setLong(positions[cell], value);
            return null;
        }
        return parse(Long.toString(value).getBytes(StandardCharsets.US_ASCII), cell);
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
            return parse(Double.toString(value).getBytes(StandardCharsets.US_ASCII), cell);
        }
        // One NaN for all: equal rows have equal bytes.
        row.setDouble(positions[cell], Double.isNaN(nearest) ? Double.NaN : nearest);
        return null;
    }

    private @Nullable String parse(byte[] text, int cell) {
        return parse(text, 0, text.length, cell);
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
