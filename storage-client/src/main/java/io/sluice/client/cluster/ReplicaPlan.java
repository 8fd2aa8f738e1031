package io.sluice.client.cluster;

import io.sluice.api.node.RangeDirectory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Chooses where missing replicas are copied to. Pure: its input is where the ranges are, its output what to copy.
 *
 * <p>For each range with fewer replicas than wanted, the target is the preferred node, if there is one and it has no
 * replica of the range, or else the node with the fewest bytes that has none, and the source the replica's node that
 * copies the fewest bytes otherwise. Only nodes that answer are sources and targets. A replica on a node that does not
 * answer counts as one: removing the node decides that it is lost. A replica on a node that leaves counts as none, but
 * it is a source.
 */
public final class ReplicaPlan {
    private ReplicaPlan() {}

    /**
     * A table to plan for.
     *
     * @param name its name
     * @param directory its ranges, at least one
     * @param bytes estimated size of each range
     */
    public record Ranges(String name, RangeDirectory directory, List<Long> bytes) {
        /** A table whose ranges are of one size. */
        public Ranges(String name, RangeDirectory directory, long rangeBytes) {
            this(name, directory, Collections.nCopies(directory.ranges().size(), rangeBytes));
        }
    }

    /**
     * One range to copy.
     *
     * @param table name of the table
     * @param range position of the range in the directory
     * @param source id of the node to copy from
     * @param target id of the node to copy to
     * @param leaving id of the node whose replica the target takes over; null: the range gets one more replica
     */
    public record Copy(
            String table,
            int range,
            String source,
            String target,
            @Nullable String leaving) {}

    /**
     * A plan.
     *
     * @param copies what to copy, by table and range
     * @param unrepairable number of ranges that stay short, since too few nodes answer, by table
     */
    public record Plan(List<Copy> copies, Map<String, Integer> unrepairable) {}

    /** A node with its bytes; ordered by them. */
    private static final class Load {
        final String id;
        long bytes;
        long copied;

        Load(String id) {
            this.id = id;
        }

        long bytes() {
            return bytes;
        }

        String id() {
            return id;
        }
    }

    /**
     * Plans the copies that give each range its replicas back.
     *
     * @param nodes ids of the nodes that answer
     * @param preferred id of the node that takes the place of a lost one; null: none
     * @param leaving id of the node that is to be removed afterwards; null: none
     */
    public static Plan repair(
            Collection<String> nodes, List<Ranges> tables, @Nullable String preferred, @Nullable String leaving) {
        Map<String, Load> loads = new HashMap<>();
        nodes.forEach(id -> loads.put(id, new Load(id)));
        for (Ranges table : tables) {
            for (int range = 0; range < table.bytes().size(); range++) {
                for (String id : table.directory().ranges().get(range).nodes()) {
                    Load load = loads.get(id);
                    if (load != null) {
                        load.bytes += table.bytes().get(range);
                    }
                }
            }
        }
        TreeSet<Load> byBytes =
                new TreeSet<>(Comparator.comparingLong(Load::bytes).thenComparing(Load::id));
        loads.values().stream().filter(load -> !load.id.equals(leaving)).forEach(byBytes::add);
        List<Copy> copies = new ArrayList<>();
        Map<String, Integer> unrepairable = new HashMap<>();
        for (Ranges table : tables) {
            List<RangeDirectory.Range> ranges = table.directory().ranges();
            for (int range = 0; range < ranges.size(); range++) {
                Set<String> holders = new HashSet<>(ranges.get(range).nodes());
                long bytes = table.bytes().get(range);
                int staying = holders.size() - (holders.contains(leaving) ? 1 : 0);
                int missing = table.directory().replicas() - staying;
                for (; missing > 0; missing--) {
                    Load source = ranges.get(range).nodes().stream()
                            .filter(loads::containsKey)
                            .map(loads::get)
                            .min(Comparator.comparingLong(load -> load.copied))
                            .orElse(null);
                    Load first = preferred == null ? null : loads.get(preferred);
                    Load target = first != null && !holders.contains(first.id)
                            ? first
                            : byBytes.stream()
                                    .filter(load -> !holders.contains(load.id))
                                    .findFirst()
                                    .orElse(null);
                    if (source == null || target == null) {
                        unrepairable.merge(table.name(), 1, Integer::sum);
                        break;
                    }
                    copies.add(new Copy(table.name(), range, source.id, target.id, null));
                    holders.add(target.id);
                    source.copied += bytes;
                    byBytes.remove(target);
                    target.bytes += bytes;
                    byBytes.add(target);
                }
            }
        }
        return new Plan(copies, unrepairable);
    }
}
