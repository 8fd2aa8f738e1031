package io.sluice.api.node;

import io.sluice.model.kv.KvChecksum;
import java.util.ArrayList;
import java.util.List;

/**
 * Checksum of all KVs of one index of a table.
 *
 * @param index the index's name
 * @param sum checksum of all its KVs
 */
public record IndexChecksum(String index, KvChecksum sum) {
    /** The checksum of these KVs and {@code more} together. */
    public IndexChecksum plus(KvChecksum more) {
        return new IndexChecksum(index, sum.plus(more));
    }

    /** Adds the checksums of two sets of KVs, index by index; both lists have the same order. */
    public static List<IndexChecksum> addEach(List<IndexChecksum> some, List<IndexChecksum> more) {
        List<IndexChecksum> all = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            all.add(some.get(i).plus(more.get(i).sum));
        }
        return all;
    }
}
