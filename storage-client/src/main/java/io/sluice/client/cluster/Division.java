package io.sluice.client.cluster;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.RangeDirectory.Range;
import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Splits the keys of an index into ranges and places them on nodes. Pure.
 *
 * <p>The input is P parts of the index's keys, of about equal size. Of N nodes, node n gets the parts from P·n/N to
 * P·(n+1)/N in number, rounded down, so that no two nodes differ by more than one part; with P of at least 10·N that is
 * within 10% of an even share. Each node's parts form several ranges. Along the keys the ranges rotate among the nodes:
 * 0, 1, 2, 0, 1, 2, and so on. So input in key order does not load one node after the other, and a range is small
 * enough to be moved. The replicas of a range are on the next nodes in that order.
 *
 * <p>A split index has ranges that start at its first key and after its last one. Such a border does not tell which of
 * the two neighbouring indexes was split. A border inside an index does, and every split index has one.
 */
final class Division {
    /** Ranges per node and index. */
    private static final int RANGES_PER_NODE = 4;

    private final List<String> nodes;
    private final int replicas;

    /**
     * Creates a placement rule.
     *
     * @param nodes ids of the nodes, in placement order
     * @param replicas number of nodes per range
     */
    Division(List<String> nodes, int replicas) {
        if (replicas < 1 || replicas > nodes.size()) {
            throw new IllegalArgumentException(replicas + " replicas on " + nodes.size() + " nodes");
        }
        this.nodes = List.copyOf(nodes);
        this.replicas = replicas;
    }

    /** A directory with one range for all keys. */
    RangeDirectory singleRange() {
        return new RangeDirectory(1, List.of(new Range(new byte[0], holders(0))));
    }

    /** Whether an index was split, even if only one part has keys. */
    static boolean isSplit(RangeDirectory directory, KeySpan index) {
        return !cuts(directory, index).isEmpty();
    }

    /** The borders between an index's ranges. */
    static List<byte[]> cuts(RangeDirectory directory, KeySpan index) {
        return directory.cuts().stream()
                .filter(key -> index.contains(key) && !Arrays.equals(key, index.start()))
                .toList();
    }

    /**
     * Returns the next directory, in which another index is split.
     *
     * @param index all keys of the index
     * @param proposed keys that cut the index into parts of about equal size, ascending
     */
    RangeDirectory split(RangeDirectory now, KeySpan index, List<byte[]> proposed) {
        List<Range> before = now.ranges().isEmpty() ? singleRange().ranges() : now.ranges();
        List<byte[]> inside = inside(index, proposed);
        List<Range> ranges = new ArrayList<>();
        for (Range range : before) {
            if (Arrays.compareUnsigned(range.start(), index.start()) < 0) {
                ranges.add(range);
            }
        }
        addRanges(ranges, index.start(), inside);
        addAfter(ranges, index.end(), before);
        return new RangeDirectory(now.epoch() + 1, ranges);
    }

    private static List<byte[]> inside(KeySpan index, List<byte[]> proposed) {
        List<byte[]> inside = new ArrayList<>();
        byte[] last = index.start();
        for (byte[] key : proposed) {
            if (Arrays.compareUnsigned(last, key) < 0 && index.contains(key)) {
                inside.add(key);
                last = key;
            }
        }
        if (inside.isEmpty()) {
            // No key to split at: a border before all keys except the smallest one marks the index as split.
            inside.add(Arrays.copyOf(index.start(), index.start().length + 1));
        }
        return inside;
    }

    private void addRanges(List<Range> ranges, byte[] start, List<byte[]> proposed) {
        int parts = proposed.size() + 1;
        int taken = 0;
        for (int turn = 0; turn < RANGES_PER_NODE; turn++) {
            for (int node = 0; node < nodes.size(); node++) {
                int size = share(share(parts, node, nodes.size()), turn, RANGES_PER_NODE);
                if (size > 0) {
                    ranges.add(new Range(taken == 0 ? start : proposed.get(taken - 1), holders(node)));
                    taken += size;
                }
            }
        }
    }

    /** The share of number {@code number} when {@code things} are shared evenly among {@code of}. */
    private static int share(int things, int number, int of) {
        return (int) ((long) things * (number + 1) / of - (long) things * number / of);
    }

    /** Keeps the ranges after the index. */
    private static void addAfter(List<Range> ranges, byte[] end, List<Range> before) {
        Range atEnd = before.get(0);
        for (Range range : before) {
            if (Arrays.compareUnsigned(range.start(), end) <= 0) {
                atEnd = range;
            }
        }
        ranges.add(new Range(end, atEnd.nodes()));
        for (Range range : before) {
            if (Arrays.compareUnsigned(range.start(), end) > 0) {
                ranges.add(range);
            }
        }
    }

    private List<String> holders(int first) {
        List<String> holders = new ArrayList<>();
        for (int i = 0; i < replicas; i++) {
            holders.add(nodes.get((first + i) % nodes.size()));
        }
        return holders;
    }
}
