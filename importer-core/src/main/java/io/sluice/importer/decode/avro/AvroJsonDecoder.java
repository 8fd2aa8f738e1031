package io.sluice.importer.decode.avro;

import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.source.Bytes;
import io.sluice.importer.source.CsvFraming;
import io.sluice.importer.source.Framing;
import io.sluice.importer.source.Split;
import io.sluice.model.row.Row;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Decodes datums in Avro's JSON encoding, one to a line. Each is encoded in binary and read by the same plan as other
 * formats, so that all agree on what a value is; the detour through a JSON tree makes this the slow format.
 */
public final class AvroJsonDecoder implements SplitDecoder {
    /** Lines, whatever is in them: JSON has no line ends but as white space between its tokens. */
    public static final Framing FRAMING =
            new CsvFraming(new byte[] {','}, CsvFraming.NONE, CsvFraming.NONE, CsvFraming.NONE);

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
        long lines = split.linesSkipped();
        int at = split.start();
        while (at < split.end()) {
            int lineEnd = Bytes.indexOf(buffer, at, split.end(), (byte) '\n');
            if (!isBlank(buffer, at, lineEnd)) {
                line(split, lines, at, lineEnd, rows, rejects);
            }
            lines++;
            at = lineEnd + 1;
        }
        return lines;
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
                rejects.accept(avroRejects.ofValues(Reject.Unit.LINE, line, offset, in, "", excerpt(text, from, to)));
            }
        } catch (MalformedDatum e) {
            rejects.accept(new Reject(
                    new Reject.Place(Reject.Unit.LINE, line, offset),
                    Reject.Problem.ofRecord(Reject.Code.MALFORMED, e.problem()),
                    excerpt(text, from, to),
                    false));
        }
    }

    private static byte[] excerpt(byte[] text, int from, int to) {
        int end = to > from && text[to - 1] == '\r' ? to - 1 : to;
        return Arrays.copyOfRange(text, from, end);
    }

    private static boolean isBlank(byte[] text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r') {
                return false;
            }
        }
        return true;
    }
}
