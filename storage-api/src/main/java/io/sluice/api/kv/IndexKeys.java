package io.sluice.api.kv;

import io.sluice.api.row.Row;
import io.sluice.api.schema.Table;
import java.util.Arrays;
import java.util.List;

/** Keys and key spans of one table's indexes, for readers. Immutable, usable by many threads. */
public final class IndexKeys {
    private final List<IndexLayout> layouts;
    private final List<SizeBound> bounds;

    public IndexKeys(Table table) {
        layouts = IndexLayout.ofAll(table);
        bounds = layouts.stream().map(IndexKeys::bound).toList();
    }

    private static SizeBound bound(IndexLayout layout) {
        SizeBound.Builder sizes = new SizeBound.Builder().addBytes(1);
        layout.indexed.addTo(sizes);
        return sizes.build();
    }

    /** Key of the row's primary KV. Only the primary key columns need be set. */
    public byte[] primaryKey(Row row) {
        return uniqueKey(0, row);
    }

    /** Key of the row's KV in a unique index none of whose columns is NULL. Only those columns need be set. */
    public byte[] uniqueKey(int indexOrdinal, Row row) {
        KeyPlan key = layouts.get(indexOrdinal).indexed;
        byte[] buffer = new byte[bounds.get(indexOrdinal).of(row)];
        int end = key.put(row, key.size(), buffer, 0);
        buffer[end] = (byte) KeyEncoding.FAMILY_ZERO_SUFFIX;
        return Arrays.copyOf(buffer, end + 1);
    }

    /**
     * Span that holds all keys of the index, and those of tables interleaved with it. An interleaved index has the span
     * of its outermost ancestor: its keys lie all over it, between those of others.
     */
    public KeySpan span(int indexOrdinal) {
        return KeySpan.ofPrefix(layouts.get(indexOrdinal).treePrefix.clone());
    }

    /**
     * What the keys of all rows that agree with this one on the first {@code columns} indexed columns begin with: the
     * longest such prefix, so where a level of an interleaved key ends, it includes the next level's table and index.
     */
    public byte[] prefix(int indexOrdinal, Row row, int columns) {
        byte[] buffer = new byte[bounds.get(indexOrdinal).of(row)];
        int end = layouts.get(indexOrdinal).indexed.put(row, columns, buffer, 0);
        return Arrays.copyOf(buffer, end);
    }
}
