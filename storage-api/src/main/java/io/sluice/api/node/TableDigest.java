package io.sluice.api.node;

import io.sluice.api.kv.KvChecksum;
import java.util.List;

/**
 * What a table adds up to, independent of the order, files and nodes its KVs lie in: equal tables have equal digests,
 * whatever their ids.
 *
 * @param table the table's name
 * @param indexes one sum per index, the primary first
 */
public record TableDigest(String table, List<IndexChecksum> indexes) {
    public TableDigest {
        indexes = List.copyOf(indexes);
    }

    /** KVs of the primary index. */
    public long rows() {
        return indexes.get(0).sum().count();
    }

    /** One line for the whole table: the digests of its indexes in order, joined by dashes. */
    public String digest() {
        return String.join("-", indexes.stream().map(i -> i.sum().digest()).toList());
    }

    /** Sum over all indexes. */
    public KvChecksum total() {
        return indexes.stream().map(IndexChecksum::sum).reduce(KvChecksum.EMPTY, KvChecksum::plus);
    }
}
