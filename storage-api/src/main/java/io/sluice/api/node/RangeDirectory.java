package io.sluice.api.node;

import io.sluice.api.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Which nodes hold which keys of a table. Ranges are contiguous: each ends where the next begins, the first begins
 * below all keys and the last ends above them.
 *
 * @param epoch grows with every change; an SST that was cut for an older one must be cut again
 * @param ranges in key order; empty when one node holds everything
 * @param addresses where the importer reached each node, by the node's id; for messages only, a node may have moved
 */
public record RangeDirectory(long epoch, List<Range> ranges, Map<String, String> addresses) {
    /** Of a table that lies on one node, undivided. */
    public static final RangeDirectory SINGLE_NODE = new RangeDirectory(0, List.of());

    public RangeDirectory {
        ranges = List.copyOf(ranges);
        // Directories that an earlier version stored have none.
        addresses = addresses == null ? Map.of() : Map.copyOf(addresses);
        for (int i = 1; i < ranges.size(); i++) {
            if (Arrays.compareUnsigned(ranges.get(i - 1).start(), ranges.get(i).start()) >= 0) {
                throw new IllegalArgumentException("range " + i + " begins before the one in front of it");
            }
        }
        if (!ranges.isEmpty() && ranges.get(0).start().length != 0) {
            throw new IllegalArgumentException("the first range must begin with the empty key");
        }
    }

    /** A directory without addresses. */
    public RangeDirectory(long epoch, List<Range> ranges) {
        this(epoch, ranges, Map.of());
    }

    /** The same directory with the addresses of its nodes. */
    public RangeDirectory at(Map<String, String> nodes) {
        return new RangeDirectory(epoch, ranges, nodes);
    }

    /**
     * One range. The array is not copied: do not change it.
     *
     * @param start its first key; it ends where the next range begins
     * @param nodes ids of the nodes that hold it, every one of them all of it
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

    /** The place in {@link #ranges} of the range that holds a key. */
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

    /** The span of a range; the last one's ends above every key of a table. */
    public KeySpan span(int range) {
        byte[] end = range + 1 < ranges.size() ? ranges.get(range + 1).start() : KeySpan.prefixEnd(new byte[0]);
        return new KeySpan(ranges.get(range).start(), end);
    }

    /** The keys between ranges, ascending: no SST may hold keys on both sides of one. */
    public List<byte[]> cuts() {
        return ranges.stream().skip(1).map(Range::start).toList();
    }

    /** The spans that a node holds, in key order, neighbours not joined. */
    public List<KeySpan> spansOf(String node) {
        List<KeySpan> spans = new ArrayList<>();
        for (int i = 0; i < ranges.size(); i++) {
            if (ranges.get(i).nodes().contains(node)) {
                spans.add(span(i));
            }
        }
        return spans;
    }
}
