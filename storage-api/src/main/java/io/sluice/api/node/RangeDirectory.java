package io.sluice.api.node;

import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Maps the key ranges of a table to the nodes that hold them. Ranges are contiguous: each ends where the next begins.
 * The first begins below all keys and the last ends above all keys.
 *
 * @param epoch grows with every change; an SST that was cut for an older epoch must be cut again
 * @param ranges in key order; empty if one node holds all keys
 * @param addresses the address at which the importer reached each node, by node id; for messages only, it may be
 *     outdated. While an import runs, these are the nodes that take part in it, also those without a range
 * @param replicas number of nodes that each range should be on; 0: as many as the range with the most nodes
 * @param uncounted ids of nodes that the cluster has left out while they did not answer: the changes by statements that
 *     they have counted are missing in the table's checksums
 */
public record RangeDirectory(
        long epoch, List<Range> ranges, Map<String, String> addresses, int replicas, Set<String> uncounted) {
    /** The directory of a table on a single node. */
    public static final RangeDirectory SINGLE_NODE = new RangeDirectory(0, List.of());

    public RangeDirectory {
        ranges = List.copyOf(ranges);
        // Directories stored by an earlier version have no addresses.
        addresses = addresses == null ? Map.of() : Map.copyOf(addresses);
        uncounted = uncounted == null ? Set.of() : Set.copyOf(uncounted);
        for (int i = 1; i < ranges.size(); i++) {
            if (Arrays.compareUnsigned(ranges.get(i - 1).start(), ranges.get(i).start()) >= 0) {
                throw new IllegalArgumentException("range " + i + " begins before the one in front of it");
            }
        }
        if (!ranges.isEmpty() && ranges.get(0).start().length != 0) {
            throw new IllegalArgumentException("the first range must begin with the empty key");
        }
        // Directories stored by an earlier version do not say.
        replicas = replicas > 0
                ? replicas
                : ranges.stream().mapToInt(range -> range.nodes().size()).max().orElse(0);
    }

    public RangeDirectory(long epoch, List<Range> ranges) {
        this(epoch, ranges, Map.of(), 0, Set.of());
    }

    /** Returns a copy with the addresses of the nodes. */
    public RangeDirectory at(Map<String, String> nodes) {
        return new RangeDirectory(epoch, ranges, nodes, replicas, uncounted);
    }

    /**
     * One key range. The array is not copied: do not change it.
     *
     * @param start first key of the range; the range ends where the next one begins
     * @param nodes ids of the nodes that each hold a full replica of the range
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Range(byte[] start, List<String> nodes) {
        public Range {
            nodes = List.copyOf(nodes);
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Range other && Arrays.equals(start, other.start) && nodes.equals(other.nodes);
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(start) + nodes.hashCode();
        }
    }

    /** Ids of all nodes with a range, sorted. */
    public SortedSet<String> nodes() {
        SortedSet<String> nodes = new TreeSet<>();
        ranges.forEach(range -> nodes.addAll(range.nodes()));
        return nodes;
    }

    /** Number of replicas that ranges have fewer than they should have. */
    public int missing() {
        return ranges.stream()
                .mapToInt(range -> Math.max(0, replicas - range.nodes().size()))
                .sum();
    }

    /** A copy without a node; a range that it held alone is on none then. */
    public RangeDirectory without(String node) {
        List<Range> rest = ranges.stream()
                .map(range -> new Range(
                        range.start(),
                        range.nodes().stream()
                                .filter(other -> !other.equals(node))
                                .toList()))
                .toList();
        return new RangeDirectory(epoch, rest, addresses, replicas, uncounted);
    }

    /**
     * The next directory without a lost node. The node stays in a range that no other node has which answers.
     *
     * @param up ids of the nodes that answer
     * @return this directory if nothing changes
     */
    public RangeDirectory leavingOut(String node, Set<String> up) {
        List<Range> rest = new ArrayList<>();
        for (Range range : ranges) {
            List<String> others =
                    range.nodes().stream().filter(other -> !other.equals(node)).toList();
            rest.add(others.stream().anyMatch(up::contains) ? new Range(range.start(), others) : range);
        }
        if (rest.equals(ranges)) {
            return this;
        }
        Set<String> missed = new HashSet<>(uncounted);
        missed.add(node);
        return new RangeDirectory(epoch + 1, rest, addresses, replicas, missed);
    }

    /** A copy for checksums that lack counts: those of nodes which had ranges before, and have none here. */
    public RangeDirectory uncounting(RangeDirectory before) {
        Set<String> missed = new HashSet<>(before.nodes());
        missed.removeAll(nodes());
        missed.addAll(uncounted);
        return new RangeDirectory(epoch, ranges, addresses, replicas, missed);
    }

    /** A copy for checksums that include all changes. */
    public RangeDirectory counted() {
        return new RangeDirectory(epoch, ranges, addresses, replicas, Set.of());
    }

    /** A copy with another epoch. */
    public RangeDirectory atEpoch(long other) {
        return new RangeDirectory(other, ranges, addresses, replicas, uncounted);
    }

    /** A copy with another number of wanted replicas. */
    public RangeDirectory wanting(int other) {
        return new RangeDirectory(epoch, ranges, addresses, other, uncounted);
    }

    /** A copy in which one more node holds a range, after those that do. */
    public RangeDirectory with(int range, String node, String address) {
        List<Range> more = new ArrayList<>(ranges);
        List<String> nodes = new ArrayList<>(ranges.get(range).nodes());
        nodes.add(node);
        more.set(range, new Range(ranges.get(range).start(), nodes));
        Map<String, String> known = new HashMap<>(addresses);
        known.put(node, address);
        return new RangeDirectory(epoch, more, known, replicas, uncounted);
    }

    /** A copy in which one node takes over a range from another, in its place. */
    public RangeDirectory replacing(int range, String leaving, String node, String address) {
        List<Range> next = new ArrayList<>(ranges);
        List<String> nodes = ranges.get(range).nodes().stream()
                .map(one -> one.equals(leaving) ? node : one)
                .toList();
        next.set(range, new Range(ranges.get(range).start(), nodes));
        Map<String, String> known = new HashMap<>(addresses);
        known.put(node, address);
        return new RangeDirectory(epoch, next, known, replicas, uncounted);
    }

    /** Whether a node holds all ranges with keys of a span; true if one node holds all keys. */
    public boolean holds(String node, KeySpan span) {
        for (int i = 0; i < ranges.size(); i++) {
            if (!ranges.get(i).nodes().contains(node) && span(i).overlaps(span)) {
                return false;
            }
        }
        return true;
    }

    /**
     * A copy in which ranges are split. All parts of a range are on its nodes.
     *
     * @param cuts by position of a range, keys inside it, ascending: the first keys of its other parts
     */
    public RangeDirectory split(Map<Integer, List<byte[]>> cuts) {
        List<Range> next = new ArrayList<>();
        for (int i = 0; i < ranges.size(); i++) {
            next.add(ranges.get(i));
            for (byte[] cut : cuts.getOrDefault(i, List.of())) {
                next.add(new Range(cut, ranges.get(i).nodes()));
            }
        }
        return new RangeDirectory(epoch, next, addresses, replicas, uncounted);
    }

    /**
     * Whether this may be a later state of a directory: its ranges are the same or parts of them, perhaps elsewhere.
     */
    public boolean refines(RangeDirectory earlier) {
        int at = 0;
        for (Range range : ranges) {
            if (at < earlier.ranges.size()
                    && Arrays.equals(range.start(), earlier.ranges.get(at).start())) {
                at++;
            }
        }
        return at == earlier.ranges.size() && ranges.isEmpty() == earlier.ranges.isEmpty();
    }

    /** Finds the position in {@link #ranges} of the range that holds a key. */
    public int rangeOf(byte[] key) {
        int low = 0;
        int high = ranges.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (Arrays.compareUnsigned(ranges.get(middle).start(), key) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** The key span of a range; the span of the last range ends above all keys of a table. */
    public KeySpan span(int range) {
        byte[] end = range + 1 < ranges.size() ? ranges.get(range + 1).start() : KeySpan.ALL.end();
        return new KeySpan(ranges.get(range).start(), end);
    }

    /** The boundary keys between ranges, ascending. No SST may hold keys on both sides of a boundary. */
    public List<byte[]> cuts() {
        return ranges.stream().skip(1).map(Range::start).toList();
    }
}
