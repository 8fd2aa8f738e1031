package io.sluice.tpcc;

import io.sluice.model.error.BadInputException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/**
 * Takes the generators' CSV and writes an Avro container file of the same rows, so that both can be compared. What is
 * written must be whole rows; their fields have no quotes. Closing it closes the stream below.
 */
final class AvroRows extends OutputStream {
    /** As large as Avro's own writers make blocks. */
    private static final int BLOCK_BYTES = 64_000;

    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    private final List<Column> columns;
    private final DatumParser[] parsers;
    private final Row row;
    private final DataFileWriter<Object> file;
    private final ByteArrayOutputStream datum = new ByteArrayOutputStream();
    private final BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(datum, null);

    private AvroRows(TableDef table, DataFileWriter<Object> file) {
        columns = table.visibleColumns().stream().map(table.columns()::get).toList();
        parsers = columns.stream().map(column -> DatumParser.of(column.type())).toArray(DatumParser[]::new);
        row = new Row(columns.size());
        this.file = file;
    }

    /**
     * Begins a file.
     *
     * @param codec its name in the Avro specification
     * @param seed makes the file's sync marker, so that the same rows make the same file
     */
    @SuppressWarnings("resource") // the writer is closed with what is returned
    static AvroRows open(TableDef table, OutputStream out, String codec, long seed) throws IOException {
        DataFileWriter<Object> file = new DataFileWriter<>(new GenericDatumWriter<>());
        try {
            file.setCodec(CodecFactory.fromString(codec));
        } catch (AvroRuntimeException e) {
            throw new BadInputException("--codec " + codec + ": " + e.getMessage(), e);
        }
        byte[] sync = ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(SplitMix64.mix(seed))
                .putLong(SplitMix64.mix(seed + 1))
                .array();
        file.setSyncInterval(BLOCK_BYTES).create(schema(table), out, sync);
        return new AvroRows(table, file);
    }

    private static Schema schema(TableDef table) {
        List<Schema.Field> fields = new ArrayList<>();
        for (int i : table.visibleColumns()) {
            Column column = table.columns().get(i);
            Schema type = schema(column.type());
            fields.add(new Schema.Field(
                    column.name(),
                    column.nullable() ? Schema.createUnion(Schema.create(Schema.Type.NULL), type) : type));
        }
        return Schema.createRecord(table.name(), null, "tpcc", false, fields);
    }

    private static Schema schema(ColumnType type) {
        return switch (type.kind()) {
            case INT2, INT4 -> Schema.create(Schema.Type.INT);
            case INT8 -> Schema.create(Schema.Type.LONG);
            case STRING -> Schema.create(Schema.Type.STRING);
            case DECIMAL ->
                LogicalTypes.decimal(type.precision(), type.scale()).addToSchema(Schema.create(Schema.Type.BYTES));
            case TIMESTAMP -> LogicalTypes.localTimestampMicros().addToSchema(Schema.create(Schema.Type.LONG));
            default -> throw new IllegalStateException("TPC-C has no columns of type " + type.sql());
        };
    }

    @Override
    public void write(int b) {
        throw new UnsupportedOperationException("rows come in chunks");
    }

    @Override
    public void write(byte[] rows, int offset, int length) throws IOException {
        int at = offset;
        while (at < offset + length) {
            datum.reset();
            row.clear();
            for (int i = 0; i < parsers.length; i++) {
                int to = at;
                while (rows[to] != ',' && rows[to] != '\n') {
                    to++;
                }
                field(i, rows, at, to);
                at = to + 1;
            }
            file.appendEncoded(ByteBuffer.wrap(datum.toByteArray()));
        }
    }

    private void field(int i, byte[] rows, int from, int to) throws IOException {
        Column column = columns.get(i);
        if (column.nullable()) {
            encoder.writeIndex(from == to ? 0 : 1);
        }
        if (from == to) {
            return;
        }
        if (parsers[i].parse(rows, from, to, row, i) != null) {
            throw new IllegalStateException("column " + column.name() + " was generated wrongly");
        }
        switch (column.type().kind()) {
            case INT2, INT4 -> encoder.writeInt((int) row.longValue(i));
            case INT8 -> encoder.writeLong(row.longValue(i));
            case STRING -> encoder.writeBytes(rows, from, to - from);
            case DECIMAL ->
                encoder.writeBytes(BigInteger.valueOf(row.coefficient(i)).toByteArray());
            case TIMESTAMP -> encoder.writeLong(row.seconds(i) * MICROS_PER_SECOND + row.nanos(i) / NANOS_PER_MICRO);
            default -> throw new IllegalStateException("TPC-C has no columns of this type");
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
