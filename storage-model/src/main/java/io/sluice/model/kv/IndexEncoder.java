package io.sluice.model.kv;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Encodes the KV of one index of one table; each worker has its own, since it is not thread-safe.
 *
 * <p>If the table has several column families, this is the KV of family 0, which every entry has; {@link #families}
 * encode the others.
 *
 * <p>The primary KV is the primary key and a tuple of all other columns. In a secondary KV the implicit columns
 * identify the row. They are in the key where uniqueness needs them: the index is not unique, or a NULL exempts the row
 * from uniqueness. They are in the value of every unique index.
 */
public final class IndexEncoder implements KvEncoder {
    private final int ordinal;
    private final byte valueType;
    private final boolean unique;
    private final KeyPlan indexed;
    private final KeyPlan implicit;
    private final boolean hasImplicit;
    private final TuplePlan tuple;
    private final SizeBound bound;
    private final CRC32 crc;
    private final List<FamilyEncoder> families;

    private IndexEncoder(IndexLayout layout, CRC32 crc) {
        this.ordinal = layout.ordinal;
        this.valueType = (byte) (ordinal == 0 ? ValueEncoding.TUPLE : ValueEncoding.BYTES);
        this.unique = layout.unique;
        this.indexed = layout.indexed;
        this.implicit = layout.implicit;
        this.hasImplicit = implicit.size() > 0;
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
        families = layout.families.stream()
                .map(family -> new FamilyEncoder(layout, family, crc))
                .toList();
    }

    /** Creates the encoders of all indexes of a table, in the order of {@code Table.indexes()}, for one worker. */
    public static List<IndexEncoder> ofAll(Table table) {
        CRC32 crc = new CRC32();
        return IndexLayout.ofAll(table).stream()
                .map(layout -> new IndexEncoder(layout, crc))
                .toList();
    }

    /** Position of the index in {@code Table.indexes()}. */
    public int ordinal() {
        return ordinal;
    }

    @Override
    public List<? extends KvEncoder> families() {
        return families;
    }

    @Override
    public int maxBytes(Row row) {
        return bound.of(row);
    }

    @Override
    public long encode(Row row, byte[] buffer, int offset) {
        int out = indexed.put(row, indexed.size(), buffer, offset);
        if (hasImplicit && (!unique || indexed.anyNull(row))) {
            out = implicit.put(row, implicit.size(), buffer, out);
        }
        buffer[out] = (byte) KeyEncoding.FAMILY_ZERO_SUFFIX;
        int valueAt = out + 1;
        int body = valueAt + Integer.BYTES;
        buffer[body] = valueType;
        int end = body + 1;
        if (hasImplicit && unique) {
            end = implicit.put(row, implicit.size(), buffer, end);
        }
        end = tuple.put(row, buffer, end);
        KvCrc.put(crc, buffer, offset, valueAt, end);
        return (long) (valueAt - offset) << Integer.SIZE | (end - valueAt);
    }
}
