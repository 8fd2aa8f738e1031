package io.sluice.node.apply;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Changes divided so that those which share a key are in the same group, in the order of the log: groups may be applied
 * in any order. Pure.
 */
final class Groups {
    private Groups() {}

    /** By one key each. */
    static List<List<RowChange>> byPrimaryKey(List<RowChange> changes, int groups) {
        List<List<RowChange>> divided = empty(groups);
        for (RowChange change : changes) {
            divided.get(Math.floorMod(mixed(Arrays.hashCode(change.oldKey())), groups))
                    .add(change);
        }
        return divided;
    }

    /**
     * By any number of keys each: whoever shares one, also by way of others, is together. Disjoint sets with halved
     * paths.
     *
     * @param keys of each change
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
        List<List<RowChange>> divided = empty(groups);
        for (int i = 0; i < parents.length; i++) {
            divided.get(Math.floorMod(mixed(root(parents, i)), groups)).add(changes.get(i));
        }
        return divided;
    }

    private static int root(int[] parents, int of) {
        int at = of;
        while (parents[at] != at) {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        return at;
    }

    /** The finalizer of MurmurHash3 (Austin Appleby, public domain): keys that differ in one byte go apart. */
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
