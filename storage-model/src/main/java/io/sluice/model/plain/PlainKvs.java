package io.sluice.model.plain;

import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.kv.PlainFrame;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The form of a table's plain KVs: the columns and the encoding of the key, and the value. The table has no other
 * index. Immutable and thread-safe.
 *
 * <p>Until an SST is finished, a plain KV has the frame of a KV of the table: the index's prefix before its key, a CRC
 * and a type before its value. So all steps of an import sort it, compare it and check it as any other.
 */
public final class PlainKvs {
    /** The value with all columns that are not in the key, as a JSON object. */
    public static final String JSON = "json";

    /** The value with all columns that are not in the key, as an Avro datum. */
    public static final String AVRO = "avro";

    /** The encoding of columns as the bytes of a key. */
    public enum KeyEncoding {
        /** Texts as they are, numbers big-endian. */
        PLAIN,
        /** Bytes whose unsigned order is the order of the columns' values. */
        ORDERED;

        /** The encoding's name in options. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Table table;
    private final RowBytes key;
    private final RowBytes value;
    private final String valueSchema;
    private final byte[] prefix;

    private PlainKvs(Table table, RowBytes key, RowBytes value, String valueSchema) {
        this.table = table;
        this.key = key;
        this.value = value;
        this.valueSchema = valueSchema;
        prefix = new IndexKeys(table).span(0).start();
    }

    /**
     * Creates the form of a table's KVs.
     *
     * @param keyColumns names of the columns of the key, in its order
     * @param value {@link #JSON}, {@link #AVRO}, or names of columns with commas between them
     * @throws BadInputException if a column is unknown, may be NULL, or does not fit the encoding
     */
    public static PlainKvs of(TableDef declared, List<String> keyColumns, KeyEncoding encoding, String value) {
        List<Integer> keyPositions = positions(declared, keyColumns, "--key");
        List<Column> visible = declared.columns().stream()
                .filter(column -> !column.hidden())
                .map(column -> column.inFamily(0))
                .toList();
        List<IndexColumn> indexed = keyPositions.stream()
                .map(position -> new IndexColumn(position, IndexColumn.Direction.ASC))
                .toList();
        TableDef def = new TableDef(
                declared.name(),
                visible,
                new IndexDef(IndexDef.PRIMARY_ID, IndexDef.PRIMARY_NAME, true, indexed, List.of(), null),
                List.of(),
                List.of());
        List<Integer> others = new ArrayList<>(def.visibleColumns());
        others.removeAll(keyPositions);
        PlainColumns key = PlainColumns.of(def, keyPositions, encoding == KeyEncoding.ORDERED, "--key");
        RowBytes values;
        String valueSchema = "";
        if (value.equals(JSON)) {
            values = new JsonText(def, others);
        } else if (value.equals(AVRO)) {
            AvroDatum datum = new AvroDatum(def, others, "--value avro", "--value json");
            values = datum;
            valueSchema = datum.schema();
        } else {
            List<Integer> chosen = positions(def, names(value), "--value");
            values = PlainColumns.of(def, chosen, false, "--value");
        }
        return new PlainKvs(Table.bind(def, 1, parent -> null), key, values, valueSchema);
    }

    /** Splits a list of names at its commas. */
    public static List<String> names(String list) {
        return List.of(list.split(",", -1)).stream().map(String::strip).toList();
    }

    private static List<Integer> positions(TableDef def, List<String> names, String option) {
        List<Integer> positions = new ArrayList<>();
        for (String name : names) {
            int position = def.columnIndex(name);
            if (position < 0 || def.columns().get(position).hidden()) {
                throw new BadInputException(option + ": table " + def.name() + " has no column " + name + "; it has "
                        + String.join(", ", def.visibleNames())
                        + (option.equals("--value") ? "; a value is also " + JSON + " or " + AVRO : ""));
            }
            if (positions.contains(position)) {
                throw new BadInputException(option + ": names column " + name + " twice; name it once");
            }
            positions.add(position);
        }
        return positions;
    }

    /** The table with these KVs: its only index is the key. */
    public Table table() {
        return table;
    }

    /** The Avro schema of the values; empty for other values. */
    public String valueSchema() {
        return valueSchema;
    }

    /** Creates the encoder of the only index, for one worker. */
    public List<KvEncoder> encoders() {
        return List.of(new Encoder());
    }

    /** The bytes around a plain KV until its SST is finished. */
    public PlainFrame frame() {
        return new PlainFrame(prefix);
    }

    /** The checksum of the same KVs without their frames, which its hashes do not cover. */
    public KvChecksum withoutFrames(KvChecksum sum) {
        return new KvChecksum(sum.count(), sum.bytes() - sum.count() * frame().bytes(), sum.crcSum());
    }

    /** Encodes rows in the frame of the table's KVs. For one worker. */
    private final class Encoder implements KvEncoder {
        private final PlainFrame frame = new PlainFrame(prefix);

        @Override
        public int maxBytes(Row row) {
            return Math.toIntExact(frame.bytes() + key.maxBytes(row) + value.maxBytes(row));
        }

        @Override
        public long encode(Row row, byte[] buffer, int offset) {
            int valueAt = key.put(row, buffer, frame.putPrefix(buffer, offset));
            int end = value.put(row, buffer, valueAt + PlainFrame.HEADER_BYTES);
            frame.putHeader(buffer, offset, valueAt, end);
            return (long) (valueAt - offset) << Integer.SIZE | (end - valueAt);
        }
    }
}
