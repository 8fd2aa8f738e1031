package io.sluice.model.kv;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.util.Arrays;
import java.util.List;

/** Encodes keys and key spans of one table's indexes, for readers. Immutable and thread-safe. */
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

    /** Encodes the key of the row's primary KV. Only the primary key columns must be set. */
    public byte[] primaryKey(Row row) {
        return uniqueKey(0, row);
    }

    /** Encodes the row's key in a unique index. Only the index's columns must be set, and none may be NULL. */
    public byte[] uniqueKey(int indexOrdinal, Row row) {
        KeyPlan key = layouts.get(indexOrdinal).indexed;
        byte[] buffer = new byte[bounds.get(indexOrdinal).of(row)];
        int end = key.put(row, key.size(), buffer, 0);
        buffer[end] = (byte) KeyEncoding.FAMILY_ZERO_SUFFIX;
        return Arrays.copyOf(buffer, end + 1);
    }

    /**
     * The span of all keys of the index and of tables interleaved with it. An interleaved index has the span of its
     * outermost ancestor, because its keys are spread over that span.
     */
    public KeySpan span(int indexOrdinal) {
        return KeySpan.ofPrefix(layouts.get(indexOrdinal).treePrefix.clone());
    }

    /**
     * Encodes the longest key prefix that all rows with these values in the first {@code columns} indexed columns
     * share. At the end of a level of an interleaved key, the prefix includes the next level's table and index ids.
     */
    public byte[] prefix(int indexOrdinal, Row row, int columns) {
        byte[] buffer = new byte[bounds.get(indexOrdinal).of(row)];
        int end = layouts.get(indexOrdinal).indexed.put(row, columns, buffer, 0);
        return Arrays.copyOf(buffer, end);
    }
}
