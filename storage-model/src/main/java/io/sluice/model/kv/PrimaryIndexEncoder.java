package io.sluice.model.kv;

import io.sluice.model.row.Row;
import java.util.zip.CRC32;

/** Encodes the primary KV: the primary key and a tuple of all other columns. */
final class PrimaryIndexEncoder implements IndexEncoder {
    private final KeyPlan key;
    private final TuplePlan tuple;
    private final SizeBound bound;
    private final CRC32 crc;

    PrimaryIndexEncoder(IndexLayout layout, CRC32 crc) {
        this.key = layout.indexed;
        this.tuple = layout.tuple;
        this.crc = crc;
        SizeBound.Builder sizes = new SizeBound.Builder().addBytes(1 + ValueEncoding.HEADER_BYTES);
        key.addTo(sizes);
        tuple.addTo(sizes);
        this.bound = sizes.build();
    }

    @Override
    public int ordinal() {
        return 0;
    }

    @Override
    public int maxBytes(Row row) {
        return bound.of(row);
    }

    @Override
    public long encode(Row row, byte[] buffer, int offset) {
        int out = key.put(row, key.size(), buffer, offset);
        buffer[out] = (byte) KeyEncoding.FAMILY_ZERO_SUFFIX;
        int valueAt = out + 1;
        int body = valueAt + Integer.BYTES;
        buffer[body] = ValueEncoding.TUPLE;
        int end = tuple.put(row, buffer, body + 1);
        KvCrc.put(crc, buffer, offset, valueAt, end);
        return (long) (valueAt - offset) << Integer.SIZE | (end - valueAt);
    }
}
