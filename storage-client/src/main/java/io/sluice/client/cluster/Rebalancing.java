package io.sluice.client.cluster;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.client.RemoteNode;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Evens the bytes of nodes: splits large ranges as {@link RangeSplits} plans it, then moves replicas as
 * {@link Rebalance} does, table by table. What fails is planned again, with the nodes that answer then. It deletes what
 * moves leave behind, also what an interrupted run has left.
 */
public final class Rebalancing {
    /** Bytes that are moved in one entry, and one range more: the nodes have room for them twice. */
    private static final long AT_ONCE_BYTES = 4L << 30;

    private final Repair repair;
    private final Repair.Effects effects;
    private final Map<String, Integer> split = new TreeMap<>();
    private final Map<String, Integer> moved = new TreeMap<>();
    /** The tables that were planned for last, by name: a new table may have the name of a dropped one. */
    private final Map<String, TableStatus> listed = new HashMap<>();
    /** Names of listed tables that were dropped, since then. */
    private final Set<String> dropped = new HashSet<>();
    /** By table, the import or the transaction that it must wait for, in the current try. */
    private final Map<String, String> blocked = new TreeMap<>();

    /** The last failure of the current try. */
    private Repair.@Nullable Failure failure;

    /**
     * The result of a rebalancing.
     *
     * @param split number of ranges that were split, by table
     * @param moved number of replicas that were moved, by table
     * @param before bytes of each node that answers before it, by id
     * @param after the same afterwards
     * @param lacking tables that are short of replicas, of which nothing was split or moved
     * @param blocked as in {@link Repair.Outcome}
     */
    public record Done(
            Map<String, Integer> split,
            Map<String, Integer> moved,
            Map<String, Long> before,
            Map<String, Long> after,
            List<String> lacking,
            Map<String, String> blocked) {}

    /**
     * A range that is to be split.
     *
     * @param table name of its table
     * @param range its keys
     * @param bytes its size
     * @param parts number of its parts
     * @param nodes ids of the nodes with a replica of it
     */
    public record Split(String table, KeySpan range, long bytes, int parts, List<String> nodes) {}

    /**
     * A replica that is to be moved.
     *
     * @param table name of its table
     * @param range the keys of its range
     * @param bytes its size
     * @param from id of the node that it leaves
     * @param to id of the node that gets it
     */
    public record Move(String table, KeySpan range, long bytes, String from, String to) {}

    /**
     * The plan of a rebalancing; the other fields are as in {@link Done}.
     *
     * @param moves what is moved when the ranges are split
     */
    public record Planned(
            List<Split> splits,
            List<Move> moves,
            Map<String, Long> before,
            Map<String, Long> after,
            List<String> lacking) {}

    /**
     * Creates a rebalancing.
     *
     * @param nodes clients of all members, by node id; some may be down. The caller closes them
     */
    public Rebalancing(Map<String, RemoteNode> nodes, Repair.Effects effects) {
        repair = new Repair(nodes, effects);
        this.effects = effects;
    }

    /**
     * Splits ranges and moves replicas.
     *
     * @param maxRangeBytes ranges over this size are split; 0: those over the size that evens the nodes
     */
    public Done run(long maxRangeBytes) {
        Map<String, Long> before = null;
        for (int tries = 1; ; tries++) {
            failure = null;
            blocked.clear();
            Map<String, RemoteNode> up = repair.up();
            List<ReplicaPlan.Ranges> ranges = sizes(up);
            before = before == null ? Rebalance.bytes(up.keySet(), ranges, List.of()) : before;
            Map<String, Map<Integer, Integer>> parts = parts(up, ranges, maxRangeBytes);
            if (!parts.isEmpty()) {
                ranges.forEach(table -> attempt(table, up, () -> split(table, parts, up)));
                ranges = sizes(up);
            }
            List<ReplicaPlan.Copy> plan = Rebalance.plan(up.keySet(), ranges);
            for (ReplicaPlan.Ranges table : ranges) {
                attempt(table, up, () -> move(table, of(table, plan), up));
            }
            Repair.Failure failed = failure;
            if (failed == null) {
                List<ReplicaPlan.Copy> moves = plan.stream()
                        .filter(move -> !blocked.containsKey(move.table()) && !dropped.contains(move.table()))
                        .toList();
                List<ReplicaPlan.Ranges> left = ranges.stream()
                        .filter(table -> !dropped.contains(table.name()))
                        .toList();
                Map<String, Long> after = Rebalance.bytes(up.keySet(), left, moves);
                return new Done(split, moved, before, after, lacking(left), blocked);
            }
            repair.tryAgain(failed, tries);
        }
    }

    /** Whether nodes differ by so little that no replica is moved for it. */
    public static boolean even(Map<String, Long> bytes) {
        LongSummaryStatistics nodes =
                bytes.values().stream().mapToLong(Long::longValue).summaryStatistics();
        return nodes.getCount() == 0 || (nodes.getMax() - nodes.getMin()) * Rebalance.TOLERANCE <= nodes.getAverage();
    }

    /** Plans as {@link #run} does, and changes nothing. The parts of a range count as equal. */
    public Planned plan(long maxRangeBytes) {
        Map<String, RemoteNode> up = repair.up();
        List<ReplicaPlan.Ranges> ranges = sizes(up);
        Map<String, Map<Integer, Integer>> parts = parts(up, ranges, maxRangeBytes);
        List<Split> splits = new ArrayList<>();
        Map<String, ReplicaPlan.Ranges> after = new LinkedHashMap<>();
        for (ReplicaPlan.Ranges table : ranges) {
            Map<Integer, Integer> wanted = parts.getOrDefault(table.name(), Map.of());
            Map<Integer, List<byte[]>> cuts;
            try {
                cuts = wanted.isEmpty()
                        ? Map.of()
                        : cuts(table, wanted, new TableSplit(current(table, up), up, effects));
            } catch (SluiceException e) {
                if (!passOver(table.name(), up, e)) {
                    throw e;
                }
                continue;
            }
            RangeDirectory directory = table.directory();
            cuts.forEach((range, keys) -> splits.add(new Split(
                    table.name(),
                    directory.span(range),
                    table.bytes().get(range),
                    keys.size() + 1,
                    directory.ranges().get(range).nodes())));
            after.put(table.name(), RangeSplits.split(table, cuts));
        }
        List<ReplicaPlan.Ranges> then = List.copyOf(after.values());
        List<ReplicaPlan.Copy> plan = Rebalance.plan(up.keySet(), then);
        List<Move> moves = plan.stream()
                .map(copy -> {
                    ReplicaPlan.Ranges table = Objects.requireNonNull(after.get(copy.table()));
                    return new Move(
                            table.name(),
                            table.directory().span(copy.range()),
                            table.bytes().get(copy.range()),
                            Objects.requireNonNull(copy.leaving()),
                            copy.target());
                })
                .toList();
        return new Planned(
                splits,
                moves,
                Rebalance.bytes(up.keySet(), ranges, List.of()),
                Rebalance.bytes(up.keySet(), then, plan),
                lacking(ranges));
    }

    private List<ReplicaPlan.Ranges> sizes(Map<String, RemoteNode> up) {
        RangeSizes sizes = new RangeSizes(up, effects);
        Map<String, TableStatus> tables = repair.tables(up, null, 0);
        listed.clear();
        dropped.clear();
        listed.putAll(tables);
        List<ReplicaPlan.Ranges> ranges = new ArrayList<>();
        tables.forEach((name, table) -> {
            try {
                ranges.add(size(sizes, table, up));
            } catch (SluiceException e) {
                if (!passOver(name, up, e)) {
                    throw e;
                }
            }
        });
        return ranges;
    }

    /** The sizes of a table's ranges. Removes nodes that do not answer any more from {@code up}, and asks others. */
    private ReplicaPlan.Ranges size(RangeSizes sizes, TableStatus table, Map<String, RemoteNode> up) {
        while (true) {
            try {
                return sizes.of(table);
            } catch (NodeUnreachableException e) {
                if (!up.keySet().removeIf(id -> effects.address(id).equals(e.node()))) {
                    throw e;
                }
                effects.log("node " + e.described() + " does not answer any more; it is left out");
            }
        }
    }

    /** Passes over a table of the list that was dropped meanwhile; whether it was. */
    private boolean passOver(String name, Map<String, RemoteNode> up, SluiceException failure) {
        boolean gone = repair.passOver(Objects.requireNonNull(listed.get(name)), up, failure);
        if (gone) {
            dropped.add(name);
        }
        return gone;
    }

    private static List<ReplicaPlan.Copy> of(ReplicaPlan.Ranges table, List<ReplicaPlan.Copy> plan) {
        return plan.stream().filter(move -> move.table().equals(table.name())).toList();
    }

    private static List<String> lacking(List<ReplicaPlan.Ranges> ranges) {
        return ranges.stream()
                .filter(table -> table.directory().missing() > 0)
                .map(ReplicaPlan.Ranges::name)
                .toList();
    }

    /** Work on a table that returns the import or the transaction that it must wait for, or null. */
    private interface Work {
        @Nullable
        String run();
    }

    /** Works on one table; if that fails, the others go on. */
    private void attempt(ReplicaPlan.Ranges table, Map<String, RemoteNode> up, Work work) {
        if (dropped.contains(table.name())) {
            return;
        }
        try {
            String blocker = work.run();
            if (blocker != null) {
                blocked.put(table.name(), blocker);
            }
        } catch (SluiceException e) {
            if (!passOver(table.name(), up, e)) {
                failure = repair.failed(table.name(), e);
            }
        }
    }

    /** The splits to make, as {@link RangeSplits#plan} returns them. */
    private Map<String, Map<Integer, Integer>> parts(
            Map<String, RemoteNode> up, List<ReplicaPlan.Ranges> ranges, long maxRangeBytes) {
        Map<String, Map<Integer, Integer>> parts = RangeSplits.plan(up.keySet(), ranges, maxRangeBytes);
        if (!parts.isEmpty()
                && up.values().stream()
                                .map(node -> node.status().version())
                                .distinct()
                                .count()
                        > 1) {
            // An older node may ignore a directory with other ranges.
            effects.log("no range is split while the nodes run different versions");
            return Map.of();
        }
        return parts;
    }

    private Map<Integer, List<byte[]>> cuts(ReplicaPlan.Ranges ranges, Map<Integer, Integer> wanted, TableSplit work) {
        Map<Integer, List<byte[]>> cuts = work.cuts(wanted);
        int whole = wanted.size() - cuts.size();
        if (whole > 0) {
            effects.log("table " + ranges.name() + ": " + whole + (whole == 1 ? " range stays" : " ranges stay")
                    + " over the size: one row, or all keys begin with the same 64 bytes");
        }
        return cuts;
    }

    private @Nullable String split(
            ReplicaPlan.Ranges ranges, Map<String, Map<Integer, Integer>> parts, Map<String, RemoteNode> up) {
        Map<Integer, Integer> wanted = parts.getOrDefault(ranges.name(), Map.of());
        if (wanted.isEmpty()) {
            return null;
        }
        TableSplit work = new TableSplit(current(ranges, up), up, effects);
        Map<Integer, List<byte[]>> cuts = cuts(ranges, wanted, work);
        String blocker = cuts.isEmpty() ? null : work.blocker();
        if (!cuts.isEmpty() && blocker == null) {
            work.run(cuts);
            split.merge(ranges.name(), cuts.size(), Integer::sum);
            int added = cuts.values().stream().mapToInt(List::size).sum();
            effects.log("table " + ranges.name() + ": " + cuts.size() + (cuts.size() == 1 ? " range is" : " ranges are")
                    + " split into " + (cuts.size() + added) + " parts");
        }
        return blocker;
    }

    private @Nullable String move(ReplicaPlan.Ranges ranges, List<ReplicaPlan.Copy> moves, Map<String, RemoteNode> up) {
        if (ranges.directory().missing() > 0) {
            // What a node has that was left out spares a repair the copy.
            return null;
        }
        String name = ranges.name();
        LeftBehind left = new LeftBehind(current(ranges, up), effects);
        up.forEach((id, node) -> left.delete(id, node, moves));
        for (int from = 0, to; from < moves.size(); from = to) {
            long bytes = 0;
            for (to = from; to < moves.size() && bytes < AT_ONCE_BYTES; to++) {
                bytes += ranges.bytes().get(moves.get(to).range());
            }
            List<ReplicaPlan.Copy> some = moves.subList(from, to);
            TableStatus table = current(ranges, up);
            ensureCurrent(table, some);
            TableCopy copy = new TableCopy(table, some, up, effects);
            String blocker = copy.blocker();
            if (blocker != null) {
                return blocker;
            }
            RangeDirectory next = copy.run(Repair.above(table, up));
            moved.merge(name, some.size(), Integer::sum);
            effects.log("table " + name + ": " + to + " of " + moves.size() + " replicas are in their new places");
            for (ReplicaPlan.Copy move : some) {
                String leaving = Objects.requireNonNull(move.leaving());
                new LeftBehind(Repair.at(table, next), effects)
                        .delete(leaving, Objects.requireNonNull(up.get(leaving)), next.span(move.range()));
            }
        }
        return null;
    }

    /** The status of a table that has the ranges for which it was planned. */
    private TableStatus current(ReplicaPlan.Ranges planned, Map<String, RemoteNode> up) {
        TableStatus table = repair.tables(up, null, 0).get(planned.name());
        TableStatus before = Objects.requireNonNull(listed.get(planned.name()));
        String change = change(planned.directory(), before.table().id(), table);
        if (table == null || change != null) {
            throw new OperationFailedException(String.valueOf(change));
        }
        return table;
    }

    /**
     * The change of a table that makes its plan void; null if its ranges are the same.
     *
     * @param planned its ranges when it was planned for
     * @param id its id then
     * @param now the table of its name now; null: there is none
     */
    static @Nullable String change(RangeDirectory planned, int id, @Nullable TableStatus now) {
        if (now == null) {
            return "it was dropped meanwhile";
        }
        if (now.table().id() != id) {
            return "it was dropped meanwhile, and another table has its name";
        }
        boolean same = planned.refines(now.directory()) && now.directory().refines(planned);
        return same ? null : "its ranges were split by another command meanwhile";
    }

    private static void ensureCurrent(TableStatus table, List<ReplicaPlan.Copy> moves) {
        for (ReplicaPlan.Copy move : moves) {
            List<String> holders = table.directory().ranges().get(move.range()).nodes();
            if (!holders.containsAll(List.of(move.source(), Objects.requireNonNull(move.leaving())))
                    || holders.contains(move.target())) {
                throw new OperationFailedException("its ranges were moved by another command meanwhile");
            }
        }
    }
}
