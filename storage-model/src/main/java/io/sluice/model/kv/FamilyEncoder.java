package io.sluice.model.kv;

import io.sluice.model.kv.IndexLayout.FamilyLayout;
import io.sluice.model.row.Row;
import java.util.zip.CRC32;

/**
 * Encodes the KV of one column family other than 0 in one index of one table. An entry has none if all the family's
 * columns in the index are NULL. Not thread-safe.
 */
final class FamilyEncoder implements KvEncoder {
    private final boolean unique;
    private final KeyPlan indexed;
    private final KeyPlan implicit;
    private final FamilyLayout family;
    private final SizeBound bound;
    private final CRC32 crc;

    FamilyEncoder(IndexLayout layout, FamilyLayout family, CRC32 crc) {
        unique = layout.unique;
        indexed = layout.indexed;
        implicit = layout.implicit;
        this.family = family;
        this.crc = crc;
        SizeBound.Builder sizes = new SizeBound.Builder().addBytes(family.suffix().length + ValueEncoding.HEADER_BYTES);
        indexed.addTo(sizes);
        implicit.addTo(sizes);
        // An untagged value is no longer than a tagged one, also where it is encoded as in keys.
        family.tuple().addTo(sizes);
        bound = sizes.build();
    }

    @Override
    public int family() {
        return family.number();
    }

    @Override
    public int maxBytes(Row row) {
        return bound.of(row);
    }

    @Override
    public long encode(Row row, byte[] buffer, int offset) {
        if (family.tuple().isEmpty(row)) {
            return 0;
        }
        int out = indexed.put(row, indexed.size(), buffer, offset);
        if (implicit.size() > 0 && (!unique || indexed.anyNull(row))) {
            out = implicit.put(row, implicit.size(), buffer, out);
        }
        byte[] suffix = family.suffix();
        System.arraycopy(suffix, 0, buffer, out, suffix.length);
        int valueAt = out + suffix.length;
        int body = valueAt + Integer.BYTES;
        int end;
        if (family.single() >= 0) {
            buffer[body] = (byte) SingleValues.type(family.shape());
            end = SingleValues.put(family.shape(), row, family.single(), buffer, body + 1);
        } else {
            buffer[body] = ValueEncoding.TUPLE;
            end = family.tuple().put(row, buffer, body + 1);
        }
        KvCrc.put(crc, buffer, offset, valueAt, end);
        return (long) (valueAt - offset) << Integer.SIZE | (end - valueAt);
    }
}
