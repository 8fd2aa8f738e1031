package io.sluice.api.node;

import io.sluice.api.kv.KvChecksum;
import java.util.ArrayList;
import java.util.List;

/**
 * What one index of a table adds up to.
 *
 * @param index the index's name
 * @param sum over all its KVs
 */
public record IndexChecksum(String index, KvChecksum sum) {
    /** What it adds up to with so much more. */
    public IndexChecksum plus(KvChecksum more) {
        return new IndexChecksum(index, sum.plus(more));
    }

    /** What the indexes of a table add up to with so much more of each, in the same order. */
    public static List<IndexChecksum> addEach(List<IndexChecksum> some, List<IndexChecksum> more) {
        List<IndexChecksum> all = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            all.add(some.get(i).plus(more.get(i).sum));
        }
        return all;
    }
}
