package io.sluice.importer.cluster;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table as those members know it that can be reached. It can be read when every one of them that holds some of it has
 * published it: a table whose publication was cut off between two nodes is not there yet.
 *
 * @param status of the table
 * @param directory who holds what; never empty
 * @param holders members that have the table, by id
 */
record Visible(TableStatus status, RangeDirectory directory, Map<String, Member> holders) {
    /**
     * The table that members know by one name.
     *
     * @param found what those say that have it
     * @param reached all that answered
     * @return null when some that should have it do not
     */
    static @Nullable Visible of(Map<Member, TableStatus> found, Collection<Member> reached) {
        if (found.isEmpty()) {
            return null;
        }
        Map.Entry<Member, TableStatus> first = found.entrySet().iterator().next();
        TableStatus status = first.getValue();
        RangeDirectory directory = status.directory();
        Map<String, Member> holders = new LinkedHashMap<>();
        found.keySet().forEach(member -> holders.put(member.id(), member));
        if (directory.ranges().isEmpty()) {
            // Imported to one node alone.
            RangeDirectory alone = new RangeDirectory(
                    0,
                    List.of(new RangeDirectory.Range(
                            new byte[0], List.of(first.getKey().id()))));
            return new Visible(status, alone, Map.of(first.getKey().id(), first.getKey()));
        }
        Set<String> nodes = nodes(directory);
        for (Member member : reached) {
            if (nodes.contains(member.id()) && !holders.containsKey(member.id())) {
                return null;
            }
        }
        for (TableStatus other : found.values()) {
            if (other.table().id() != status.table().id() || !other.directory().equals(directory)) {
                return null;
            }
        }
        return new Visible(status.together(found.values()), directory, holders);
    }

    /** Every table that members know and that can be read, by name. */
    static List<Visible> all(Map<Member, List<TableStatus>> tables) {
        List<Visible> visible = new ArrayList<>();
        Set<String> names = tables.values().stream()
                .flatMap(List::stream)
                .map(status -> status.table().name())
                .collect(Collectors.toCollection(TreeSet::new));
        for (String name : names) {
            Map<Member, TableStatus> found = new LinkedHashMap<>();
            tables.forEach((member, all) -> all.stream()
                    .filter(status -> status.table().name().equals(name))
                    .forEach(status -> found.put(member, status)));
            Visible table = of(found, tables.keySet());
            if (table != null) {
                visible.add(table);
            }
        }
        return visible;
    }

    /** Ids of all nodes that hold a range. */
    static Set<String> nodes(RangeDirectory directory) {
        return directory.ranges().stream()
                .flatMap(range -> range.nodes().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Members that hold a range and were reached. A range's first node is asked first: that spreads reads, because
     * nodes take turns at being first.
     *
     * @throws OperationFailedException when there is none
     */
    List<Member> holdersOf(int range) {
        List<String> ids = directory.ranges().get(range).nodes();
        List<Member> members = new ArrayList<>();
        for (String id : ids) {
            Member member = holders.get(id);
            if (member != null) {
                members.add(member);
            }
        }
        if (members.isEmpty()) {
            throw new OperationFailedException(
                    "some rows of table " + status.table().name() + " are on node "
                            + String.join(" and ", ids)
                            + " only, which cannot be reached or is none of the nodes given; name it with --nodes, or start it");
        }
        return members;
    }
}
