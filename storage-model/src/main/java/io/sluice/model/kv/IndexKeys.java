package io.sluice.model.kv;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

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
     * Moves a cut to a border between entries: an entry of a table with several column families must not be cut between
     * its KVs. Returns the first key of the entry that a key would cut, and the key itself if it cuts none.
     *
     * @param key any bytes, not only a key of the index
     */
    public byte[] border(int indexOrdinal, byte[] key) {
        IndexLayout layout = layouts.get(indexOrdinal);
        return layout.severalFamilies ? layout.border(key) : key;
    }

    /** Moves cuts as {@link #border} does; several of one entry become one. */
    public List<byte[]> borders(int indexOrdinal, List<byte[]> keys) {
        if (!layouts.get(indexOrdinal).severalFamilies) {
            return keys;
        }
        List<byte[]> borders = new ArrayList<>();
        for (byte[] key : keys) {
            byte[] border = border(indexOrdinal, key);
            if (borders.isEmpty() || !Arrays.equals(borders.get(borders.size() - 1), border)) {
                borders.add(border);
            }
        }
        return borders;
    }

    /**
     * The span of all keys of the index and of tables interleaved with it. An interleaved index has the span of its
     * outermost ancestor, because its keys are spread over that span.
     */
    public KeySpan span(int indexOrdinal) {
        return KeySpan.ofPrefix(layouts.get(indexOrdinal).treePrefix.clone());
    }

    /** The {@link #span} of each index, in the order of their ordinals. */
    public List<KeySpan> spans() {
        return IntStream.range(0, layouts.size()).mapToObj(this::span).toList();
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
