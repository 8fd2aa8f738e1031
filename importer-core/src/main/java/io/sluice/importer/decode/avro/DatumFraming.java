package io.sluice.importer.decode.avro;

import io.sluice.importer.source.Framing;
import io.sluice.model.row.Row;
import org.apache.avro.Schema;

/**
 * Finds the ends of datums without separators, which only reading them tells. So the source reads every datum serially
 * to cut splits, and after a malformed one the rest of the file is lost.
 */
public final class DatumFraming implements Framing {
    private static final byte[] NOWHERE = {};
    private static final Row NO_ROW = new Row(0);

    private final FieldReader skip;

    public DatumFraming(Schema schema) {
        skip = new Skips().of(schema);
    }

    @Override
    public int lastRecordEnd(byte[] buffer, int from, int to, boolean last) {
        if (last) {
            return to;
        }
        AvroInput in = new AvroInput();
        in.reset(buffer, from, to);
        int end = from;
        while (end < to && passes(in)) {
            end = in.at;
        }
        return end;
    }

    @Override
    public int firstRecordEnd(byte[] buffer, int from, int to, boolean last) {
        AvroInput in = new AvroInput();
        in.reset(buffer, from, to);
        return passes(in) ? in.at : last ? to : -1;
    }

    private boolean passes(AvroInput in) {
        try {
            in.seek(in.at);
            skip.read(in, NO_ROW);
            return true;
        } catch (MalformedDatum e) {
            return false;
        }
    }

    @Override
    public boolean isText() {
        return false;
    }

    @Override
    public byte[] marker() {
        return NOWHERE;
    }
}
