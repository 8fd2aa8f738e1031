package io.sluice.importer.decode.avro;

import io.sluice.importer.source.ColumnBlocks;
import io.sluice.model.row.Row;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows from a block that has its values by column ({@link ColumnBlocks}): one input per field, and each row takes
 * a value of each. One per file and decoder.
 */
final class ColumnBlock {
    private final List<Schema.Field> schema;
    private final ColumnInput[] fields;
    /** Inputs of the row that was last read. */
    private final ColumnInput[] ofRow;
    /** Starts of its values. */
    private final int[] starts;

    ColumnBlock(Schema record) {
        schema = record.getFields();
        fields = new ColumnInput[schema.size()];
        ofRow = new ColumnInput[fields.length];
        starts = new int[fields.length];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = new ColumnInput();
        }
    }

    /**
     * Points at the first row of a block.
     *
     * @throws MalformedDatum when its columns are not those of the schema
     */
    void open(byte[] block, int from, int to, int rows) throws MalformedDatum {
        int next = from;
        for (ColumnInput field : fields) {
            next = field.open(block, next, to, rows);
        }
        if (next != to) {
            throw new MalformedDatum((to - next) + " bytes stand behind its last column");
        }
    }

    /**
     * Reads the next rows field by field, unless one of them must be refused or is malformed.
     *
     * @param rows rows that were cleared
     * @return whether they were read; if not, {@link #read} reads them one by one
     */
    boolean readAll(AvroLayout layout, Row[] rows, int count) {
        for (ColumnInput field : fields) {
            field.mark();
        }
        boolean good = true;
        try {
            layout.readAll(fields, rows, count);
            for (ColumnInput field : fields) {
                good &= field.problem() == null;
            }
        } catch (MalformedDatum e) {
            good = false;
        }
        if (!good) {
            for (ColumnInput field : fields) {
                field.rewind();
            }
        }
        return good;
    }

    /**
     * Reads the next row.
     *
     * @param row a row that was cleared
     * @return the first field whose column cannot hold its value; null if there is none
     */
    @Nullable
    ColumnInput read(AvroLayout layout, Row row) throws MalformedDatum {
        for (int i = 0; i < fields.length; i++) {
            fields[i].seek(fields[i].at);
            ofRow[i] = fields[i].ofRow();
            starts[i] = ofRow[i].at;
        }
        layout.read(ofRow, row);
        for (ColumnInput field : ofRow) {
            if (field.problem() != null) {
                return field;
            }
        }
        return null;
    }

    /** The row that was last read, as Avro encodes it. */
    byte[] record() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        try {
            for (int i = 0; i < fields.length; i++) {
                ofRow[i].copy(starts[i], schema.get(i).schema(), encoder);
            }
            encoder.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes all bytes", e);
        }
        return out.toByteArray();
    }

    /**
     * Checks that all values were read.
     *
     * @throws MalformedDatum when there are more
     */
    void end() throws MalformedDatum {
        for (ColumnInput field : fields) {
            if (field.at != field.end) {
                throw new MalformedDatum((field.end - field.at) + " bytes stand behind the last value of a column");
            }
        }
    }
}
