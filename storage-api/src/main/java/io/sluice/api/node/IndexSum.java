package io.sluice.api.node;

import io.sluice.api.kv.KvSum;
import java.util.ArrayList;
import java.util.List;

/**
 * What one index of a table adds up to.
 *
 * @param index the index's name
 * @param sum over all its KVs
 */
public record IndexSum(String index, KvSum sum) {
    /** What it adds up to with so much more. */
    public IndexSum plus(KvSum more) {
        return new IndexSum(index, sum.plus(more));
    }

    /** What the indexes of a table add up to with so much more of each, in the same order. */
    public static List<IndexSum> together(List<IndexSum> some, List<IndexSum> more) {
        List<IndexSum> all = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            all.add(some.get(i).plus(more.get(i).sum));
        }
        return all;
    }
}
