package io.sluice.spark;

import io.sluice.importer.decode.ColumnDefaults;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.encode.RowEncoding;
import io.sluice.model.kv.KvChecksum;
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
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/** Encodes the rows of one input partition as the KVs of all indexes of a table. */
final class RowEncoder {
    private static final long MICROS = 1_000_000;

    private final Table table;
    private final CellColumns cells;
    private final DatumParser[] parsers;
    private final ColumnDefaults defaults;
    private final Row row;
    private final List<Tuple2<byte[], byte[]>> kvs = new ArrayList<>();
    private final RowEncoding encoding;
    private final int partition;
    private long rows;
    private String problem = "";

    /**
     * Creates an encoder.
     *
     * @param partition number of the input partition, a part of generated row ids
     */
    RowEncoder(Table table, CellColumns cells, int partition) {
        this.table = table;
        this.cells = cells;
        this.partition = partition;
        parsers = table.def().columns().stream()
                .map(column -> DatumParser.of(column.type()))
                .toArray(DatumParser[]::new);
        defaults = ColumnDefaults.of(
                table.def(), Arrays.stream(cells.columns()).boxed().toList(), new ArrayList<>());
        row = new Row(table.def().columns().size());
        encoding = new RowEncoding(table, Collections.nCopies(table.indexes().size(), new Copies()));
    }

    /**
     * Encodes a row.
     *
     * @return its KVs, in a list that the next call clears; null if the row is bad, and {@link #problem} says why
     */
    @Nullable
    List<Tuple2<byte[], byte[]>> encode(InternalRow from) {
        kvs.clear();
        row.clear();
        defaults.fill(row);
        problem = "";
        for (int i = 0; i < cells.columns().length && problem.isEmpty(); i++) {
            set(from, i, cells.columns()[i]);
        }
        if (!problem.isEmpty()) {
            return null;
        }
        encoding.encode(row, partition, rows);
        rows++;
        return kvs;
    }

    /** The problem of the last row that was bad. */
    String problem() {
        return problem;
    }

    private void set(InternalRow from, int cell, int position) {
        Column column = table.def().columns().get(position);
        if (from.isNullAt(cell)) {
            if (!column.nullable()) {
                problem = "column " + column.name() + ": is NOT NULL but the value is NULL";
            } else {
                row.setNull(position);
            }
            return;
        }
        byte[] text = from.getUTF8String(cell).getBytes();
        if (cells.micros()[cell]) {
            text = moment(Long.parseLong(new String(text, StandardCharsets.US_ASCII)));
        }
        DatumProblem found = parsers[position].parse(text, 0, text.length, row, position);
        if (found != null) {
            problem = "column " + column.name() + ": "
                    + Reject.withValue(found, text, 0, text.length).message();
        }
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

    /** Checksum of the KVs of an index so far. */
    KvChecksum sum(int index) {
        return encoding.sum(index);
    }

    int indexes() {
        return table.indexes().size();
    }

    /** Number of rows so far. */
    long rows() {
        return rows;
    }

    /** Copies each KV into arrays of its own, which Spark sorts and sends. */
    private final class Copies implements KvTarget {
        private byte[] buffer = new byte[1024];

        @Override
        public byte[] room(int maxBytes) {
            if (buffer.length < maxBytes) {
                buffer = new byte[maxBytes];
            }
            return buffer;
        }

        @Override
        public int position() {
            return 0;
        }

        @Override
        public void added(long lengths) {
            int keyLength = (int) (lengths >>> 32);
            kvs.add(new Tuple2<>(
                    Arrays.copyOf(buffer, keyLength),
                    Arrays.copyOfRange(buffer, keyLength, keyLength + (int) lengths)));
        }
    }
}
