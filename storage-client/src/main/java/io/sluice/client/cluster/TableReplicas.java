package io.sluice.client.cluster;

import io.sluice.api.node.RangeDirectory;
import java.util.Set;

/**
 * Counts of a table's replicas: those that are missing, and those that do not answer.
 *
 * @param table name of the table
 * @param ranges number of its key ranges
 * @param replicas replicas that each range should have
 * @param missing replicas that are on no node: {@code sluice cluster repair} copies them
 * @param down replicas on nodes that do not answer
 * @param unreadable ranges without a replica on a node that answers
 */
public record TableReplicas(String table, int ranges, int replicas, int missing, int down, int unreadable) {
    /** @param up ids of the nodes that answer */
    static TableReplicas of(String table, RangeDirectory directory, Set<String> up) {
        int down = 0;
        int unreadable = 0;
        for (RangeDirectory.Range range : directory.ranges()) {
            long here = range.nodes().stream().filter(up::contains).count();
            down += (int) (range.nodes().size() - here);
            unreadable += here == 0 ? 1 : 0;
        }
        return new TableReplicas(
                table, directory.ranges().size(), directory.replicas(), directory.missing(), down, unreadable);
    }

    /** Whether each range has all its replicas, on nodes that answer. */
    public boolean complete() {
        return missing == 0 && down == 0;
    }
}
