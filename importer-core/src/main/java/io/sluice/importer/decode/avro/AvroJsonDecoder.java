package io.sluice.importer.decode.avro;

import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.source.Lines;
import io.sluice.importer.source.Split;
import io.sluice.model.row.Row;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Decodes datums in Avro's JSON encoding, one to a line. Each is encoded in binary and read by the same plan as other
 * formats, so that all agree on what a value is; the detour through a JSON tree makes this the slow format.
 */
public final class AvroJsonDecoder implements SplitDecoder {
    private final JsonDatum json;
    private final AvroLayout layout;
    private final AvroRejects avroRejects;
    private final AvroInput in = new AvroInput();
    private final Row row;
    private final int maxRecordBytes;

    /**
     * @param format with a schema
     * @param maxRecordBytes longest line that is let through
     */
    public AvroJsonDecoder(AvroFormat format, int maxRecordBytes) {
        json = new JsonDatum(format.required());
        layout = format.layout();
        avroRejects = new AvroRejects(format.table());
        row = new Row(format.table().columns().size());
        this.maxRecordBytes = maxRecordBytes;
    }

    @Override
    public long decode(Split split, RowConsumer rows, Consumer<Reject> rejects) {
        byte[] buffer = split.buffer();
        long line = split.linesSkipped();
        Lines lines = new Lines(buffer, split.start(), split.end());
        while (lines.next()) {
            if (!isBlank(buffer, lines.from(), lines.to())) {
                line(split, line, lines.from(), lines.to(), rows, rejects);
            }
            line++;
        }
        return line;
    }

    private void line(Split split, long line, int from, int to, RowConsumer rows, Consumer<Reject> rejects) {
        byte[] text = split.buffer();
        long offset = split.fileOffset(from);
        try {
            if (split.oversized() || to - from > maxRecordBytes) {
                throw new MalformedDatum("is longer than " + maxRecordBytes + " bytes, the limit for one record");
            }
            byte[] binary = json.binary(text, from, to);
            in.reset(binary, 0, binary.length);
            row.clear();
            layout.read(in, row);
            if (in.problem() == null) {
                rows.row(row, offset);
            } else {
                byte[] record = Arrays.copyOfRange(text, from, to);
                rejects.accept(avroRejects.ofValues(Reject.Unit.LINE, line, offset, in, "", record));
            }
        } catch (MalformedDatum e) {
            rejects.accept(new Reject(
                    new Reject.Place(Reject.Unit.LINE, line, offset),
                    Reject.Problem.ofRecord(Reject.Code.MALFORMED, e.problem()),
                    Arrays.copyOfRange(text, from, to),
                    false));
        }
    }

    private static boolean isBlank(byte[] text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (text[i] != ' ' && text[i] != '\t') {
                return false;
            }
        }
        return true;
    }
}
