package io.sluice.model.kv;

import io.sluice.model.row.Row;
import java.util.zip.CRC32;

/**
 * Encodes a secondary KV. The implicit columns identify the row. They are in the key where uniqueness needs them: the
 * index is not unique, or a NULL exempts the row from uniqueness. They are in the value of every unique index.
 */
final class SecondaryIndexEncoder implements IndexEncoder {
    private final int ordinal;
    private final boolean unique;
    private final KeyPlan indexed;
    private final KeyPlan implicit;
    private final TuplePlan tuple;
    private final SizeBound bound;
    private final CRC32 crc;

    SecondaryIndexEncoder(IndexLayout layout, CRC32 crc) {
        this.ordinal = layout.ordinal;
        this.unique = layout.unique;
        this.indexed = layout.indexed;
        this.implicit = layout.implicit;
        this.tuple = layout.tuple;
        this.crc = crc;
        SizeBound.Builder sizes = new SizeBound.Builder().addBytes(1 + ValueEncoding.HEADER_BYTES);
        indexed.addTo(sizes);
        implicit.addTo(sizes);
        if (unique) {
            implicit.addTo(sizes);
        }
        tuple.addTo(sizes);
        this.bound = sizes.build();
    }

    @Override
    public int ordinal() {
        return ordinal;
    }

    @Override
    public int maxBytes(Row row) {
        return bound.of(row);
    }

    @Override
    public long encode(Row row, byte[] buffer, int offset) {
        int out = indexed.put(row, indexed.size(), buffer, offset);
        if (!unique || indexed.anyNull(row)) {
            out = implicit.put(row, implicit.size(), buffer, out);
        }
        buffer[out] = (byte) KeyEncoding.FAMILY_ZERO_SUFFIX;
        int valueAt = out + 1;
        int body = valueAt + Integer.BYTES;
        buffer[body] = ValueEncoding.BYTES;
        int end = body + 1;
        if (unique) {
            end = implicit.put(row, implicit.size(), buffer, end);
        }
        end = tuple.put(row, buffer, end);
        KvCrc.put(crc, buffer, offset, valueAt, end);
        return (long) (valueAt - offset) << Integer.SIZE | (end - valueAt);
    }
}
