package io.sluice.client.cluster;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table as the reachable members know it. It exists when every member with some of its ranges has published it:
 * during an interrupted publication it does not exist yet.
 *
 * <p>Each node stores the table's whole directory, so any node tells which nodes have the rest. A table is complete
 * when each range is on a reachable member.
 *
 * @param status status of the table, including whether it is complete
 * @param directory the table's ranges; never empty
 * @param holders members that have the table, by id
 * @param answers the answers of those with a range, by id
 * @param silent unreachable members as they are described in messages, by address
 */
record TableView(
        TableStatus status,
        RangeDirectory directory,
        Map<String, Member> holders,
        Map<String, TableStatus> answers,
        Map<String, String> silent) {
    /** Most spans in a message, so that it fits a screen. */
    private static final int MOST_SPANS = 3;

    /**
     * Leaves out the answers of members of a cluster that still have an earlier table of the name: they have not
     * applied its drop. The present one has the greatest id, since its import had most members, of which one knew the
     * other id.
     */
    static Map<Member, TableStatus> present(Map<Member, TableStatus> found) {
        int last = found.values().stream()
                .filter(status -> !status.directory().ranges().isEmpty())
                .mapToInt(status -> status.table().id())
                .max()
                .orElse(0);
        Map<Member, TableStatus> present = new LinkedHashMap<>(found);
        present.values()
                .removeIf(status ->
                        !status.directory().ranges().isEmpty() && status.table().id() < last);
        return present;
    }

    /**
     * Builds the view of a table from the members' answers.
     *
     * @param found the answers of members that have the table
     * @param reached all members that answered
     * @param silent members that did not answer, described, by address
     * @return null if a member lacks the table although the directory places a range there
     */
    static @Nullable TableView of(
            Map<Member, TableStatus> found, Collection<Member> reached, Map<String, String> silent) {
        if (found.isEmpty()) {
            return null;
        }
        // Ranges that were moved: nodes may learn of it one after the other.
        Map.Entry<Member, TableStatus> first = found.entrySet().stream()
                .max(Comparator.comparingLong(
                        entry -> entry.getValue().directory().epoch()))
                .orElseThrow();
        TableStatus status = first.getValue();
        boolean alone = status.directory().ranges().isEmpty();
        // Without ranges: imported into a single node.
        RangeDirectory directory = alone
                ? new RangeDirectory(
                        0,
                        List.of(new RangeDirectory.Range(
                                new byte[0], List.of(first.getKey().id()))))
                : status.directory();
        Map<String, Member> holders = new LinkedHashMap<>();
        found.keySet().forEach(member -> holders.put(member.id(), member));
        for (Map.Entry<Member, TableStatus> other : found.entrySet()) {
            TableStatus another = other.getValue();
            boolean same = another.table().id() == status.table().id()
                    && isEarlier(another.directory(), status.directory())
                    && (!alone || other.getKey() == first.getKey());
            if (!same) {
                String why = "nodes " + first.getKey().described() + " and "
                        + other.getKey().described() + " have different tables named "
                        + status.table().name() + "; name only the nodes of one of them";
                return new TableView(status.incomplete(why), directory, Map.of(), Map.of(), silent);
            }
        }
        Set<String> nodes = directory.nodes();
        for (Member member : reached) {
            if (nodes.contains(member.id()) && !holders.containsKey(member.id())) {
                return null;
            }
        }
        Map<String, TableStatus> answers = counting(found, nodes);
        TableView table = new TableView(
                status.merge(
                        answers.values(),
                        holders.keySet().containsAll(nodes)
                                && directory.uncounted().isEmpty()
                                && areAt(directory.epoch(), answers.values())),
                directory,
                holders,
                answers,
                silent);
        List<Integer> unread = table.unread();
        return unread.isEmpty()
                ? table
                : new TableView(table.status.incomplete(table.missing(unread)), directory, holders, answers, silent);
    }

    /**
     * The views of all existing tables, by name.
     *
     * @param clustered whether the members are a cluster, which has one {@link #present} table of a name
     */
    static List<TableView> all(Map<Member, List<TableStatus>> tables, Map<String, String> silent, boolean clustered) {
        List<TableView> visible = new ArrayList<>();
        Set<String> names = tables.values().stream()
                .flatMap(List::stream)
                .map(status -> status.table().name())
                .collect(Collectors.toCollection(TreeSet::new));
        for (String name : names) {
            Map<Member, TableStatus> found = new LinkedHashMap<>();
            tables.forEach((member, all) -> all.stream()
                    .filter(status -> status.table().name().equals(name))
                    .forEach(status -> found.put(member, status)));
            TableView table = of(clustered ? present(found) : found, tables.keySet(), silent);
            if (table != null) {
                visible.add(table);
            }
        }
        return visible;
    }

    /** Whether a directory is the latest one, or an earlier one of the same table. */
    private static boolean isEarlier(RangeDirectory directory, RangeDirectory latest) {
        return latest.refines(directory) && (directory.epoch() < latest.epoch() || directory.refines(latest));
    }

    /**
     * Whether no change counts twice: nodes with an earlier directory than that of an epoch have counted none. The
     * checksums of a later one may include what they have counted, as those after an append do.
     */
    static boolean areAt(long epoch, Collection<TableStatus> answers) {
        return answers.stream()
                .allMatch(status ->
                        status.directory().epoch() == epoch || status.imported().equals(status.published()));
    }

    /** The answers of the nodes with a range; the changes that a node without one has counted are in the others'. */
    private static Map<String, TableStatus> counting(Map<Member, TableStatus> found, Set<String> nodes) {
        Map<String, TableStatus> counting = new LinkedHashMap<>();
        found.forEach((member, status) -> {
            if (nodes.contains(member.id())) {
                counting.put(member.id(), status);
            }
        });
        return counting;
    }

    /** This view with other places of its ranges. */
    TableView at(RangeDirectory other) {
        return new TableView(status, other, holders, answers, silent);
    }

    /**
     * Checks that the node list covers the table: each range is on a named node, even if that node does not answer.
     *
     * @throws OperationFailedException naming the missing ranges
     */
    void requireCovered() {
        String why = status.incomplete();
        if (why != null && (holders.isEmpty() || !onlySilent(unread()))) {
            throw new OperationFailedException(why);
        }
    }

    /** The member that has all ranges, if only one node has any; null otherwise. */
    @Nullable
    Member onlyHolder() {
        Set<String> nodes = directory.nodes();
        return nodes.size() == 1 ? holders.get(nodes.iterator().next()) : null;
    }

    /** The member with a table that is not split into key ranges; null if it is split. */
    @Nullable
    Member undividedOn() {
        return status.directory().ranges().isEmpty() ? onlyHolder() : null;
    }

    /** Ranges without a reachable replica. */
    private List<Integer> unread() {
        List<Integer> unread = new ArrayList<>();
        for (int i = 0; i < directory.ranges().size(); i++) {
            if (directory.ranges().get(i).nodes().stream().noneMatch(holders::containsKey)) {
                unread.add(i);
            }
        }
        return unread;
    }

    /** Whether each of these ranges is on an unreachable member, judged by the nodes' last known addresses. */
    private boolean onlySilent(List<Integer> ranges) {
        Set<String> known = new HashSet<>(directory.addresses().values());
        // A node with a new address looks like a node that was never named.
        boolean moved = !known.containsAll(silent.keySet());
        return ranges.stream().allMatch(range -> directory.ranges().get(range).nodes().stream()
                .anyMatch(node -> moved || silent.containsKey(address(node))));
    }

    private String address(String node) {
        return directory.addresses().getOrDefault(node, "");
    }

    /** The error text: what cannot be read, why, and what to do. */
    private String missing(List<Integer> unread) {
        List<KeySpan> spans =
                unread.stream().limit(MOST_SPANS).map(directory::span).toList();
        String listed = spans.stream().map(KeySpan::toString).collect(Collectors.joining(", "))
                + (unread.size() > MOST_SPANS ? " and " + (unread.size() - MOST_SPANS) + " more" : "");
        String nodes = unread.stream()
                .flatMap(range -> directory.ranges().get(range).nodes().stream())
                .distinct()
                .map(this::described)
                .collect(Collectors.joining("; "));
        String others = silent.entrySet().stream()
                .filter(member -> !directory.addresses().containsValue(member.getKey()))
                .map(Map.Entry::getValue)
                .collect(Collectors.joining(", "));
        return "table " + status.table().name() + " is incomplete: " + unread.size() + " of its "
                + directory.ranges().size() + " key ranges cannot be read, " + listed + ". They are on " + nodes
                + (others.isEmpty() ? "" : "; no answer from " + others)
                + ". Name all nodes of the table, and start those that do not run.";
    }

    /** Describes a node by its name in the cluster, or else by its id and its last known address. */
    String described(String node) {
        String described = silent.get(address(node));
        return described == null ? described(directory, node) : "node " + described + ", which does not answer";
    }

    /** Describes a node by its id and, if known, its address. */
    static String described(RangeDirectory directory, String node) {
        String address = directory.addresses().get(node);
        return "node " + node + (address == null ? "" : ", last known at " + address);
    }

    /**
     * The reachable members with a range, in replica order. Reads go to the first one; this spreads them, since the
     * first replicas rotate among the nodes.
     *
     * @throws OperationFailedException when no such member is reachable
     */
    List<Member> holdersOf(int range) {
        List<Member> members = new ArrayList<>();
        for (String id : directory.ranges().get(range).nodes()) {
            Member member = holders.get(id);
            if (member != null) {
                members.add(member);
            }
        }
        if (members.isEmpty()) {
            throw new OperationFailedException(missing(List.of(range)));
        }
        return members;
    }
}
