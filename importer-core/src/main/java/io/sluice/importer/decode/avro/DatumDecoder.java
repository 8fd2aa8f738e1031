package io.sluice.importer.decode.avro;

import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.source.Split;
import io.sluice.model.row.Row;
import java.util.function.Consumer;
import org.apache.avro.Schema;

/**
 * Decodes datums of one schema without separators. After a malformed datum the rest of the file is one reject, since
 * the start of the next datum and the number of datums are unknown.
 */
public final class DatumDecoder implements SplitDecoder {
    private final Schema schema;
    private final AvroLayout layout;
    private final AvroRejects avroRejects;
    private final AvroInput in = new AvroInput();
    private final Row row;

    public DatumDecoder(AvroFormat format) {
        schema = format.required();
        layout = format.layout();
        avroRejects = new AvroRejects(format.table());
        row = new Row(format.table().columns().size());
    }

    /** Decodes a split; returns how many records were read. */
    @Override
    public long decode(Split split, RowConsumer rows, Consumer<Reject> rejects) {
        long records = 0;
        in.reset(split.buffer(), split.start(), split.end());
        int start = in.at;
        try {
            while (in.at < in.end) {
                start = in.at;
                in.seek(start);
                row.clear();
                layout.read(in, row);
                if (in.problem() == null) {
                    rows.row(row, split.fileOffset(start));
                } else {
                    byte[] json = AvroRejects.json(schema, in.buffer, start, in.at);
                    rejects.accept(
                            avroRejects.ofValues(Reject.Unit.ROW, records, split.fileOffset(start), in, "", json));
                }
                records++;
            }
        } catch (MalformedDatum e) {
            String message = "is malformed, cut off or too long: " + e.problem()
                    + "; nothing says where the next record begins, so the rest of the file is lost";
            rejects.accept(AvroRejects.ofBytes(
                    records, 1, split.fileOffset(start), message, split.buffer(), start, split.end()));
            records++;
        }
        return records;
    }
}
