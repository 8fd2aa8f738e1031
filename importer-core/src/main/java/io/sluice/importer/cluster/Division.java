package io.sluice.importer.cluster;

import io.sluice.api.kv.KeySpan;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.RangeDirectory.Range;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Divides the keys of an index among nodes. Pure.
 *
 * <p>The index's keys are given as P parts of about equal size. Of N nodes, node n gets the parts from P·n/N to
 * P·(n+1)/N in number, rounded down, so that no two nodes differ by more than one part; with P of at least 10·N that is
 * within 10% of an even share. Each node's parts are put into several ranges, which take turns along the keys: node 0,
 * 1, 2, 0, 1, 2, and so on, so that input in key order does not load one node after the other, and a range is small
 * enough to be moved. The replicas of a range are on the nodes that follow in that order.
 *
 * <p>Dividing an index makes ranges begin where it begins and where it ends. That does not tell which of the two
 * neighbours at such a border was divided; a border inside an index does, and every index that was divided has one.
 */
final class Division {
    /** Along the keys, how often the turn comes to each node. */
    private static final int RANGES_PER_NODE = 4;

    private final List<String> nodes;
    private final int replicas;

    /**
     * A rule for dividing.
     *
     * @param nodes ids, in the order in which they take turns
     * @param replicas how many of them hold each range
     */
    Division(List<String> nodes, int replicas) {
        if (replicas < 1 || replicas > nodes.size()) {
            throw new IllegalArgumentException(replicas + " replicas on " + nodes.size() + " nodes");
        }
        this.nodes = List.copyOf(nodes);
        this.replicas = replicas;
    }

    int replicas() {
        return replicas;
    }

    /** Everything in one range. */
    RangeDirectory undivided() {
        return new RangeDirectory(1, List.of(new Range(new byte[0], holders(0))));
    }

    /** Whether an index's keys have been divided, be it into one part that has any. */
    static boolean isDivided(RangeDirectory directory, KeySpan index) {
        return !cuts(directory, index).isEmpty();
    }

    /** The keys at which an index's ranges end and the next ones begin. */
    static List<byte[]> cuts(RangeDirectory directory, KeySpan index) {
        return directory.cuts().stream()
                .filter(key -> index.contains(key) && !Arrays.equals(key, index.start()))
                .toList();
    }

    /**
     * The next directory, with an index divided that was not.
     *
     * @param index all keys of the index
     * @param proposed keys that cut them into parts of about equal size, ascending
     */
    RangeDirectory divide(RangeDirectory now, KeySpan index, List<byte[]> proposed) {
        List<Range> before = now.ranges().isEmpty() ? undivided().ranges() : now.ranges();
        List<byte[]> inside = inside(index, proposed);
        List<Range> ranges = new ArrayList<>();
        for (Range range : before) {
            if (Arrays.compareUnsigned(range.start(), index.start()) < 0) {
                ranges.add(range);
            }
        }
        addRanges(ranges, index.start(), inside);
        addBehind(ranges, index.end(), before);
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
            // Nothing to divide by: a border in front of all keys but the least says that it was tried.
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

    /** How many of so many things the one with that number gets, when all get the same number but for one. */
    private static int share(int things, int number, int of) {
        return (int) ((long) things * (number + 1) / of - (long) things * number / of);
    }

    /** What lies behind the index stays as it was. */
    private static void addBehind(List<Range> ranges, byte[] end, List<Range> before) {
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
