package io.sluice.sql.apply;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Partitions changes into groups, so that changes that share a key are in the same group and in the order of the log.
 * Groups may be applied in any order. Pure.
 */
final class Groups {
    private Groups() {}

    /** Groups changes by a hash of their primary key. */
    static List<List<RowChange>> byPrimaryKey(List<RowChange> changes, int groups) {
        List<List<RowChange>> grouped = empty(groups);
        for (RowChange change : changes) {
            grouped.get(Math.floorMod(mixed(Arrays.hashCode(change.oldKey())), groups))
                    .add(change);
        }
        return grouped;
    }

    /**
     * Groups changes by any number of keys each: changes that share a key, directly or through others, are in one group
     * (disjoint sets with path halving).
     *
     * @param keys keys of each change
     */
    static List<List<RowChange>> byKeys(List<RowChange> changes, List<List<byte[]>> keys, int groups) {
        int[] parents = new int[changes.size()];
        Map<ByteBuffer, Integer> owners = new HashMap<>();
        for (int i = 0; i < parents.length; i++) {
            parents[i] = i;
            for (byte[] key : keys.get(i)) {
                Integer owner = owners.putIfAbsent(ByteBuffer.wrap(key), i);
                if (owner != null) {
                    parents[root(parents, i)] = root(parents, owner);
                }
            }
        }
        List<List<RowChange>> grouped = empty(groups);
        for (int i = 0; i < parents.length; i++) {
            grouped.get(Math.floorMod(mixed(root(parents, i)), groups)).add(changes.get(i));
        }
        return grouped;
    }

    private static int root(int[] parents, int of) {
        int at = of;
        while (parents[at] != at) {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        return at;
    }

    /** The finalizer of MurmurHash3 (Austin Appleby, public domain): spreads keys that differ in one byte. */
    private static int mixed(int hash) {
        int h = hash;
        h = (h ^ (h >>> 16)) * 0x85ebca6b;
        h = (h ^ (h >>> 13)) * 0xc2b2ae35;
        return h ^ (h >>> 16);
    }

    private static List<List<RowChange>> empty(int groups) {
        List<List<RowChange>> lists = new ArrayList<>();
        for (int i = 0; i < groups; i++) {
            lists.add(new ArrayList<>());
        }
        return lists;
    }
}
