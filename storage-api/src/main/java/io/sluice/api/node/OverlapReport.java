package io.sluice.api.node;

import java.util.List;

/**
 * What an import into a table that has rows found there.
 *
 * @param after what the table adds up to once the import is published, per index
 * @param repeated KVs of the import that the table has already, per index
 * @param collisions keys of the primary and of unique indexes that the table has with other values, of rows that are
 *     not {@link ImportSession#replace replaced}; the first of them
 * @param collided how many of those keys there are
 */
public record OverlapReport(
        List<IndexChecksum> after, List<IndexChecksum> repeated, List<IndexKey> collisions, long collided) {
    public OverlapReport {
        after = List.copyOf(after);
        repeated = List.copyOf(repeated);
        collisions = List.copyOf(collisions);
    }

    /**
     * A key of an index. The array is not copied: do not change it.
     *
     * @param ordinal position of the index in its table
     * @param key the key
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record IndexKey(int ordinal, byte[] key) {}

    /** The primary KV of a row of the table. The arrays are not copied: do not change them. */
    @SuppressWarnings("ArrayRecordComponent")
    public record Holder(byte[] key, byte[] value) {}
}
