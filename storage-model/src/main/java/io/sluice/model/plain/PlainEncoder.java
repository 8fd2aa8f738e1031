package io.sluice.model.plain;

import io.sluice.model.kv.KvEncoder;
import io.sluice.model.kv.PlainFrame;
import io.sluice.model.row.Row;

/** Encodes rows as plain KVs in the frame of the table's KVs. */
final class PlainEncoder implements KvEncoder {
    private final PlainFrame frame;
    private final RowBytes key;
    private final RowBytes value;

    PlainEncoder(byte[] prefix, RowBytes key, RowBytes value) {
        frame = new PlainFrame(prefix);
        this.key = key;
        this.value = value;
    }

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
