package io.sluice.client.cluster;

import io.sluice.api.node.RangeDirectory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Chooses which replicas move from nodes with more bytes to nodes with fewer. Pure. One move after the other:
 *
 * <ol>
 *   <li>from the node with the most bytes to the one with the fewest that can take a range of it. Neither passes the
 *       even share by it, if there is such a range: so few bytes are moved twice, and the largest range is the first;
 *   <li>otherwise, the smallest range that is smaller than the difference of the two: that still evens them;
 *   <li>until the two differ by at most a twentieth of the even share, or no range is smaller than their difference.
 * </ol>
 *
 * <p>Each move lessens the sum of the squares of all nodes' bytes, so there is an end. A range keeps its number of
 * replicas, on different nodes. Ranges with a replica on a silent node stay where they are. So do the ranges of tables
 * that are short of replicas.
 */
final class Rebalance {
    /** Nodes that differ by less than this part of the even share are even. */
    static final int TOLERANCE = 20;

    private static final Comparator<Item> BY_BYTES =
            Comparator.<Item>comparingLong(item -> item.bytes).reversed().thenComparingInt(item -> item.number);

    private static final Comparator<Node> BY_LIMIT =
            Comparator.<Node>comparingLong(node -> node.limit).reversed().thenComparing(node -> node.id);

    private final Map<String, Node> nodes = new HashMap<>();
    private final TreeSet<Node> byBytes =
            new TreeSet<>(Comparator.comparingLong((Node node) -> node.bytes).thenComparing(node -> node.id));
    private final long share;

    /** A range that can be moved. */
    private static final class Item {
        final int number;
        final String table;
        final int range;
        final long bytes;
        /** The nodes that have it after the moves so far. */
        final List<String> holders;
        /** The nodes that have it before all moves. */
        final List<String> sources;

        Item(int number, String table, int range, long bytes, List<String> sources) {
            this.number = number;
            this.table = table;
            this.range = range;
            this.bytes = bytes;
            this.sources = sources;
            holders = new ArrayList<>(sources);
        }
    }

    private static final class Node {
        final String id;
        /** Ranges that it has and may lose, the largest first. */
        final TreeSet<Item> items = new TreeSet<>(BY_BYTES);

        long bytes;
        long copied;
        /** While no move from it is possible: one to a node below so many bytes may be. */
        long limit;

        Node(String id) {
            this.id = id;
        }
    }

    private record Move(Item item, Node to) {}

    private Rebalance(Collection<String> up, List<ReplicaPlan.Ranges> tables) {
        up.forEach(id -> nodes.put(id, new Node(id)));
        int number = 0;
        for (ReplicaPlan.Ranges table : tables) {
            List<RangeDirectory.Range> ranges = table.directory().ranges();
            boolean complete = table.directory().missing() == 0;
            for (int range = 0; range < ranges.size(); range++) {
                List<String> holders = ranges.get(range).nodes();
                long bytes = table.bytes().get(range);
                Item item = new Item(number++, table.name(), range, bytes, holders);
                boolean movable = bytes > 0 && complete && nodes.keySet().containsAll(holders);
                for (String id : holders) {
                    Node node = nodes.get(id);
                    if (node != null) {
                        node.bytes += bytes;
                        if (movable) {
                            node.items.add(item);
                        }
                    }
                }
            }
        }
        byBytes.addAll(nodes.values());
        share = nodes.values().stream().mapToLong(node -> node.bytes).sum() / Math.max(1, nodes.size());
    }

    /**
     * Plans moves. No two of them are of one replica.
     *
     * @param up ids of the nodes that answer
     * @param tables all tables
     */
    static List<ReplicaPlan.Copy> plan(Collection<String> up, List<ReplicaPlan.Ranges> tables) {
        return new Rebalance(up, tables).run();
    }

    /** The bytes of nodes, by id, after moves. */
    static Map<String, Long> bytes(
            Collection<String> up, List<ReplicaPlan.Ranges> tables, List<ReplicaPlan.Copy> moves) {
        Map<String, Long> bytes = new TreeMap<>();
        Map<String, ReplicaPlan.Ranges> byName = new HashMap<>();
        up.forEach(id -> bytes.put(id, 0L));
        for (ReplicaPlan.Ranges table : tables) {
            byName.put(table.name(), table);
            for (int range = 0; range < table.bytes().size(); range++) {
                long size = table.bytes().get(range);
                table.directory().ranges().get(range).nodes().forEach(id -> bytes.merge(id, size, Long::sum));
            }
        }
        for (ReplicaPlan.Copy move : moves) {
            long size = Objects.requireNonNull(byName.get(move.table())).bytes().get(move.range());
            bytes.merge(move.target(), size, Long::sum);
            bytes.merge(Objects.requireNonNull(move.leaving()), -size, Long::sum);
        }
        return bytes;
    }

    private List<ReplicaPlan.Copy> run() {
        Set<Item> moved = new LinkedHashSet<>();
        TreeSet<Node> active = new TreeSet<>(byBytes);
        TreeSet<Node> stuck = new TreeSet<>(BY_LIMIT);
        while (!active.isEmpty()) {
            Node from = active.last();
            Move move = next(from);
            active.remove(from);
            if (move == null) {
                from.limit = limit(from);
                stuck.add(from);
                continue;
            }
            Node to = move.to();
            active.remove(to);
            stuck.remove(to);
            Item item = move.item();
            moved.add(item);
            take(from, item, -item.bytes);
            take(to, item, item.bytes);
            item.holders.set(item.holders.indexOf(from.id), to.id);
            active.add(from);
            active.add(to);
            // Only the node with fewer bytes than before can take what no node could.
            while (!stuck.isEmpty() && stuck.first().limit > from.bytes) {
                active.add(Objects.requireNonNull(stuck.pollFirst()));
            }
        }
        List<ReplicaPlan.Copy> copies = new ArrayList<>();
        moved.forEach(item -> addCopies(item, copies));
        return copies;
    }

    /** A node with at least so many bytes takes nothing from another. */
    private long limit(Node from) {
        return from.items.isEmpty()
                ? Long.MIN_VALUE
                : from.bytes - Math.max(share / TOLERANCE, from.items.last().bytes);
    }

    private void take(Node node, Item item, long bytes) {
        byBytes.remove(node);
        node.bytes += bytes;
        byBytes.add(node);
        if (bytes > 0) {
            node.items.add(item);
        } else {
            node.items.remove(item);
        }
    }

    private @Nullable Move next(Node from) {
        for (Node to : byBytes) {
            long gap = from.bytes - to.bytes;
            if (gap * TOLERANCE <= share || from.items.isEmpty() || from.items.last().bytes >= gap) {
                return null;
            }
            long most = Math.min(from.bytes - share, share - to.bytes);
            Item best = free(from.items.tailSet(first(Math.min(most, gap - 1)), true), to);
            if (best == null) {
                best = free(from.items.tailSet(first(gap - 1), true).descendingSet(), to);
            }
            if (best != null) {
                return new Move(best, to);
            }
        }
        return null;
    }

    /** A bound in front of all items up to a size. */
    private static Item first(long bytes) {
        return new Item(-1, "", 0, bytes, List.of());
    }

    /** The first of some items that a node does not have. */
    private static @Nullable Item free(Iterable<Item> items, Node to) {
        for (Item item : items) {
            if (!item.holders.contains(to.id)) {
                return item;
            }
        }
        return null;
    }

    /**
     * Adds the moves of a range from where it was to where it is at last, without the nodes in between. Each copies
     * from a node that no move before it leaves: moves of a range may be in different entries of the log.
     */
    private void addCopies(Item item, List<ReplicaPlan.Copy> copies) {
        List<String> targets = new ArrayList<>(item.holders);
        targets.removeAll(item.sources);
        List<String> leaving = new ArrayList<>(item.sources);
        leaving.removeAll(item.holders);
        for (int i = 0; i < targets.size(); i++) {
            List<String> left = leaving.subList(0, i);
            Node source = item.sources.stream()
                    .filter(id -> !left.contains(id))
                    .map(id -> Objects.requireNonNull(nodes.get(id)))
                    .min(Comparator.comparingLong(node -> node.copied))
                    .orElseThrow();
            source.copied += item.bytes;
            copies.add(new ReplicaPlan.Copy(item.table, item.range, source.id, targets.get(i), leaving.get(i)));
        }
    }
}
