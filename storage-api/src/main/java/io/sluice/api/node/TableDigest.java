package io.sluice.api.node;

import io.sluice.model.kv.KvChecksum;
import java.util.List;

/**
 * The digest of a table, independent of the order, files and nodes of its KVs. Tables with equal rows have equal
 * digests, whatever their table ids.
 *
 * @param table the table's name
 * @param indexes one checksum per index, the primary first
 */
public record TableDigest(String table, List<IndexChecksum> indexes) {
    public TableDigest {
        indexes = List.copyOf(indexes);
    }

    /** The number of rows: KVs of the primary index. */
    public long rows() {
        return indexes.get(0).sum().count();
    }

    /** The printed digest of the table: the digests of its indexes in order, joined by dashes. */
    public String digest() {
        return String.join("-", indexes.stream().map(i -> i.sum().digest()).toList());
    }

    /** The checksum of all indexes together. */
    public KvChecksum total() {
        return indexes.stream().map(IndexChecksum::sum).reduce(KvChecksum.EMPTY, KvChecksum::plus);
    }
}
