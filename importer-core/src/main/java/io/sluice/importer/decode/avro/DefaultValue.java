package io.sluice.importer.decode.avro;

import io.sluice.importer.decode.avro.ColumnReaders.Mismatch;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.text.DatumProblem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/**
 * The value of a column that files do not have: a field's default, encoded once and read for every row like any other.
 * Used by one thread.
 */
final class DefaultValue {
    /** The value; slots point into it. */
    private final byte[] encoded;

    private final FieldReader reader;
    private final AvroInput in = new AvroInput();

    private DefaultValue(byte[] encoded, FieldReader reader) {
        this.encoded = encoded;
        this.reader = reader;
    }

    /**
     * The default of a field of the reader's schema.
     *
     * @throws Mismatch when the column cannot hold it
     */
    static DefaultValue of(Schema.Field field, Column definition, int column) throws Mismatch {
        FieldReader reader = ColumnReaders.of(field.schema(), definition, column);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
            Object value = GenericData.get().getDefaultValue(field);
            new GenericDatumWriter<Object>(field.schema()).write(value, encoder);
            encoder.flush();
        } catch (RuntimeException | IOException e) {
            throw new Mismatch("is no value of the field's own type: " + e.getMessage());
        }
        DefaultValue result = new DefaultValue(out.toByteArray(), reader);
        RowProblem problems = new RowProblem();
        result.set(new Row(column + 1), problems);
        DatumProblem problem = problems.first();
        if (problem != null) {
            throw new Mismatch(problem.message());
        }
        return result;
    }

    /** Fills the column. */
    void set(Row row, RowProblem problems) {
        in.reset(encoded, 0, encoded.length);
        try {
            reader.read(in, row, problems);
        } catch (MalformedDatum e) {
            throw new IllegalStateException("a value that Avro has just encoded is malformed", e);
        }
    }
}
