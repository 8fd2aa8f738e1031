package io.sluice.api.node;

import java.util.List;

/**
 * The result of comparing an import with the existing rows of its table.
 *
 * @param after checksum of the table after the import is published, per index
 * @param repeated checksum of the import's KVs that the table has already, per index
 * @param collisions the first keys of the primary and of unique indexes that the table has with other values, except
 *     those of {@link ImportSession#replace replaced} rows
 * @param collided total number of such keys
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
