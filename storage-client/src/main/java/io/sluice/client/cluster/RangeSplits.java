package io.sluice.client.cluster;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.RangeDirectory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * Chooses which ranges are split before {@link Rebalance} moves some. Pure.
 *
 * <p>A range over a size gets as many parts as make each at most three quarters of it: sizes are estimates, and no part
 * is to be split again. A range with a replica on a node that does not answer stays whole; the others of its table do
 * not. Without a size given, it is the part of a node's even share by which nodes may differ, if moves of whole ranges
 * leave them more uneven than that. Ranges of this size even any nodes, and there are few of them.
 */
final class RangeSplits {
    /** Smaller ranges are split only if the operator says so: a range costs a request of each scan. */
    private static final long SMALLEST_BYTES = 1L << 20;

    /** Ranges of a table: each entry of the log about it has all of them, 200 bytes each, and may have 1 MB. */
    static final int MOST_RANGES = 2_000;

    private RangeSplits() {}

    /**
     * Plans splits.
     *
     * @param up ids of the nodes that answer
     * @param maxBytes ranges over this size are split; 0: those over the size that evens the nodes
     * @return number of parts by position of the range, by table; tables of which no range is split are left out
     */
    static Map<String, Map<Integer, Integer>> plan(
            Collection<String> up, List<ReplicaPlan.Ranges> tables, long maxBytes) {
        long limit = maxBytes > 0 ? maxBytes : evening(up, tables);
        Map<String, Map<Integer, Integer>> splits = new TreeMap<>();
        for (ReplicaPlan.Ranges table : tables) {
            RangeDirectory directory = table.directory();
            if (maxBytes == 0 && directory.missing() > 0) {
                // No replica of it moves, so parts would not even the nodes.
                continue;
            }
            Map<Integer, Integer> wanted = new TreeMap<>();
            for (int range = 0; range < table.bytes().size(); range++) {
                long bytes = table.bytes().get(range);
                List<String> holders = directory.ranges().get(range).nodes();
                if (bytes > limit && !holders.isEmpty() && up.containsAll(holders)) {
                    wanted.put(range, (int) Math.min(NodeClient.MOST_PARTS, (long) Math.ceil(bytes / (limit * 0.75))));
                }
            }
            Map<Integer, Integer> parts = within(
                    wanted, table.bytes(), MOST_RANGES - directory.ranges().size());
            if (!parts.isEmpty()) {
                splits.put(table.name(), parts);
            }
        }
        return splits;
    }

    /**
     * The parts for which there is room: one more for the range with the largest parts, again and again.
     *
     * @param room number of ranges that the table may have more
     */
    private static Map<Integer, Integer> within(Map<Integer, Integer> wanted, List<Long> bytes, int room) {
        Map<Integer, Integer> parts = new TreeMap<>();
        PriorityQueue<Integer> largest = new PriorityQueue<>(
                Comparator.<Integer>comparingDouble(range -> -(double) bytes.get(range) / parts.getOrDefault(range, 1))
                        .thenComparingInt(range -> range));
        largest.addAll(wanted.keySet());
        for (int left = room; left > 0 && !largest.isEmpty(); left--) {
            int range = largest.remove();
            int count = parts.merge(range, 2, (now, unused) -> now + 1);
            if (count < wanted.getOrDefault(range, 0)) {
                largest.add(range);
            }
        }
        return parts;
    }

    /** The size of ranges that even the nodes; more than any range if whole ranges do. */
    private static long evening(Collection<String> up, List<ReplicaPlan.Ranges> tables) {
        Map<String, Long> bytes = Rebalance.bytes(up, tables, Rebalance.plan(up, tables));
        bytes.keySet().retainAll(up);
        if (bytes.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long tolerance = bytes.values().stream().mapToLong(Long::longValue).sum() / bytes.size() / Rebalance.TOLERANCE;
        long gap = Collections.max(bytes.values()) - Collections.min(bytes.values());
        return gap <= tolerance ? Long.MAX_VALUE : Math.max(SMALLEST_BYTES, tolerance);
    }

    /**
     * A table after splits.
     *
     * @param cuts keys inside ranges, by their positions; the parts of a range count as equal
     */
    static ReplicaPlan.Ranges split(ReplicaPlan.Ranges table, Map<Integer, List<byte[]>> cuts) {
        List<Long> bytes = new ArrayList<>();
        for (int range = 0; range < table.bytes().size(); range++) {
            int parts = cuts.getOrDefault(range, List.of()).size() + 1;
            bytes.addAll(Collections.nCopies(parts, table.bytes().get(range) / parts));
        }
        return new ReplicaPlan.Ranges(table.name(), table.directory().split(cuts), bytes);
    }
}
