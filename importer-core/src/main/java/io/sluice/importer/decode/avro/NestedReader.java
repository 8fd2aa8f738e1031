package io.sluice.importer.decode.avro;

import io.sluice.importer.source.OcfFraming;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumFormatter;
import io.sluice.model.text.DatumParser;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/**
 * Fills a column of type STRING, JSON or ARRAY with an array, a map or a record by its JSON text without white space.
 * Numbers and decimals become numbers; dates, times, timestamps, UUIDs and bytes become strings in the text that CSV
 * has for them, as NaN and the infinities do. The branch of a union is not named. One per column and decoder, since it
 * owns the text's buffer.
 */
final class NestedReader implements FieldReader {
    /** Longest text: 32 MiB, as much as a block may have. An array of nulls has no bytes in the file. */
    private static final int MAX_BYTES = OcfFraming.MAX_BLOCK_BYTES;

    /** Characters with a short escape, each before its letter. */
    private static final String SHORT_ESCAPES = "\nn\tt\rr\bb\ff";

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final int column;
    private final boolean roundNanos;
    private final DatumParser parser;
    private final Writer writer;
    private final IdentityHashMap<Schema, RecordWriter> records = new IdentityHashMap<>();
    /** One slot for the value that is being formatted. */
    private final Row scratch = new Row(1);

    private byte[] text = new byte[256];
    private int length;

    /** Reads one value and appends it to the text. */
    private interface Writer {
        void put(AvroInput in) throws MalformedDatum;
    }

    /**
     * Creates the reader of a schema.
     *
     * @param type type of the column: STRING, JSON or ARRAY
     * @param roundNanos whether a timestamp with digits beyond microseconds is rounded, not refused
     * @param column position of the column
     * @throws ColumnReaders.Mismatch when a type within the schema has no text
     */
    NestedReader(Schema schema, ColumnType type, boolean roundNanos, int column) throws ColumnReaders.Mismatch {
        this.column = column;
        this.roundNanos = roundNanos;
        parser = DatumParser.of(type);
        writer = of(schema);
    }

    /** The row's slot points into its scratch buffer: this object's is for the next value. */
    @Override
    public void read(AvroInput in, Row row) throws MalformedDatum {
        length = 0;
        boolean good = in.problem() == null;
        writer.put(in);
        if (good) {
            in.nameProblem(column);
        }
        int start = row.scratch(length);
        byte[] kept = row.scratchBuffer();
        System.arraycopy(text, 0, kept, start, length);
        in.refuse(column, parser.parse(kept, start, start + length, row, column));
    }

    private Writer of(Schema schema) throws ColumnReaders.Mismatch {
        return switch (schema.getType()) {
            case NULL -> in -> put("null");
            case BOOLEAN -> in -> put(in.readBoolean() ? "true" : "false");
            case STRING -> this::string;
            case ENUM -> {
                List<String> symbols = schema.getEnumSymbols();
                yield in -> quoted(symbols.get(in.readIndex(symbols.size(), "an enum")));
            }
            case UNION -> {
                Writer[] branches = all(schema.getTypes());
                yield in -> branches[in.readIndex(branches.length, "a union")].put(in);
            }
            case ARRAY -> items(of(schema.getElementType()), false);
            case MAP -> items(of(schema.getValueType()), true);
            case RECORD -> record(schema);
            case INT, LONG, FLOAT, DOUBLE, BYTES, FIXED -> scalar(schema);
        };
    }

    private Writer[] all(List<Schema> schemas) throws ColumnReaders.Mismatch {
        Writer[] writers = new Writer[schemas.size()];
        for (int i = 0; i < writers.length; i++) {
            writers[i] = of(schemas.get(i));
        }
        return writers;
    }

    /** A value that a column of its own type would take, in that column's text. */
    private Writer scalar(Schema schema) throws ColumnReaders.Mismatch {
        ColumnType type = ColumnType.of(kind(schema));
        FieldReader reader = ColumnReaders.of(schema, new Column(0, "", type, true, false), roundNanos, 0);
        boolean floating = type.kind() == TypeKind.FLOAT4 || type.kind() == TypeKind.FLOAT8;
        boolean number = floating || type.kind() == TypeKind.INT8 || type.kind() == TypeKind.DECIMAL;
        return in -> {
            scratch.clear();
            reader.read(in, scratch);
            String value = in.problem() == null ? DatumFormatter.format(scratch, 0, type) : "";
            if (number && (!floating || Double.isFinite(scratch.doubleValue(0)))) {
                put(String.valueOf(value));
            } else {
                quoted(String.valueOf(value));
            }
        };
    }

    private static TypeKind kind(Schema schema) {
        LogicalType logical = schema.getLogicalType();
        if (logical instanceof LogicalTypes.Decimal) {
            return TypeKind.DECIMAL;
        }
        String name = logical == null ? "" : logical.getName();
        return switch (schema.getType()) {
            case FLOAT -> TypeKind.FLOAT4;
            case DOUBLE -> TypeKind.FLOAT8;
            case BYTES -> TypeKind.BYTES;
            case FIXED -> name.equals("uuid") ? TypeKind.UUID : TypeKind.BYTES;
            default ->
                name.equals("date")
                        ? TypeKind.DATE
                        : name.startsWith("time-")
                                ? TypeKind.TIME
                                : name.startsWith("timestamp-")
                                        ? TypeKind.TIMESTAMPTZ
                                        : name.startsWith("local-timestamp-") ? TypeKind.TIMESTAMP : TypeKind.INT8;
        };
    }

    /** Blocks of items, each with its number of items before it, and its bytes if that is negative; 0 ends them. */
    private Writer items(Writer item, boolean keyed) {
        return in -> {
            in.enter();
            put(keyed ? '{' : '[');
            boolean first = true;
            for (long count = in.readLong(); count != 0; count = in.readLong()) {
                if (count < 0) {
                    in.readLength();
                }
                // Counted towards zero, because the smallest long has no positive twin.
                for (long i = count < 0 ? count : -count; i < 0; i++) {
                    if (!first) {
                        put(',');
                    }
                    first = false;
                    if (keyed) {
                        string(in);
                        put(':');
                    }
                    item.put(in);
                }
            }
            put(keyed ? '}' : ']');
            in.leave();
        };
    }

    private Writer record(Schema schema) throws ColumnReaders.Mismatch {
        RecordWriter known = records.get(schema);
        if (known == null) {
            known = new RecordWriter();
            records.put(schema, known);
            List<Schema.Field> fields = schema.getFields();
            known.names = fields.stream().map(Schema.Field::name).toList();
            known.values = all(fields.stream().map(Schema.Field::schema).toList());
        }
        return known;
    }

    /** A record that may contain itself: its fields come after it was made. */
    private final class RecordWriter implements Writer {
        private List<String> names = List.of();
        private Writer[] values = {};

        @Override
        public void put(AvroInput in) throws MalformedDatum {
            in.enter();
            for (int i = 0; i < values.length; i++) {
                NestedReader.this.put(i == 0 ? '{' : ',');
                quoted(names.get(i));
                NestedReader.this.put(':');
                values[i].put(in);
            }
            NestedReader.this.put(values.length == 0 ? "{}" : "}");
            in.leave();
        }
    }

    private void string(AvroInput in) throws MalformedDatum {
        int bytes = in.readLength();
        quoted(in.buffer, in.at, in.at + bytes);
        in.at += bytes;
    }

    private void quoted(String value) throws MalformedDatum {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        quoted(bytes, 0, bytes.length);
    }

    /** Puts UTF-8 in quotes; escapes what RFC 8259 demands. */
    private void quoted(byte[] bytes, int from, int to) throws MalformedDatum {
        put('"');
        for (int i = from; i < to; i++) {
            int b = bytes[i];
            if (b == '"' || b == '\\') {
                put('\\');
                put(b);
            } else if (b >= 0 && b < ' ') {
                control(b);
            } else {
                put(b);
            }
        }
        put('"');
    }

    private void control(int b) throws MalformedDatum {
        int known = SHORT_ESCAPES.indexOf(b);
        if (known >= 0) {
            put('\\');
            put(SHORT_ESCAPES.charAt(known + 1));
        } else {
            put("\\u00");
            put(HEX[b >> 4]);
            put(HEX[b & 0xf]);
        }
    }

    private void put(String ascii) throws MalformedDatum {
        for (int i = 0; i < ascii.length(); i++) {
            put(ascii.charAt(i));
        }
    }

    private void put(int b) throws MalformedDatum {
        if (length == text.length) {
            if (length >= MAX_BYTES) {
                throw new MalformedDatum("a nested value has more than " + MAX_BYTES + " bytes as JSON");
            }
            text = Arrays.copyOf(text, Math.min(MAX_BYTES, 2 * length));
        }
        text[length++] = (byte) b;
    }
}
