package io.sluice.cli.export;

import io.sluice.model.plain.AvroDatum;
import io.sluice.model.row.Row;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.io.Encoder;
import org.jspecify.annotations.Nullable;

/** Writes an Avro container file. Its records have the schema of {@link AvroDatum}. */
final class AvroWriter implements RowWriter {
    /** The fastest level; every reader of Avro has deflate. */
    private static final int DEFLATE_LEVEL = 1;

    private final FormatLimits limits;
    private final DataFileWriter<Row> file;

    AvroWriter(TableDef def, List<Integer> columns, OutputStream out) throws IOException {
        limits = new FormatLimits(def, columns, ExportFormat.AVRO);
        AvroDatum datum = new AvroDatum(def, columns, "--format avro", "--format parquet");
        file = new DataFileWriter<>(new Datums(datum));
        file.setCodec(CodecFactory.deflateCodec(DEFLATE_LEVEL));
        file.create(new Schema.Parser().parse(datum.schema()), out);
    }

    @Override
    public void write(List<@Nullable String> datums, Row row) throws IOException {
        limits.check(row, datums);
        file.append(row);
    }

    @Override
    public void finish() throws IOException {
        file.flush();
    }

    @Override
    public void close() {}

    /** Writes rows as datums. */
    private static final class Datums implements DatumWriter<Row> {
        private final AvroDatum datum;
        private byte[] buffer = new byte[4 << 10];

        Datums(AvroDatum datum) {
            this.datum = datum;
        }

        @Override
        public void setSchema(Schema schema) {}

        @Override
        public void write(Row row, Encoder out) throws IOException {
            int most = Math.toIntExact(datum.maxBytes(row));
            if (most > buffer.length) {
                buffer = new byte[most];
            }
            out.writeFixed(buffer, 0, datum.put(row, buffer, 0));
        }
    }
}
