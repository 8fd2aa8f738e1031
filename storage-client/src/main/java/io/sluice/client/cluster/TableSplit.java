package io.sluice.client.cluster;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteNode;
import io.sluice.model.error.SluiceException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Splits ranges of one table, while statements read and change it:
 *
 * <ol>
 *   <li>a node with the range finds keys that cut it into parts of about equal size;
 *   <li>an entry of the cluster's log freezes the table, and no node that answers has a prepared branch or an append of
 *       it then;
 *   <li>an entry has the parts in the directory of the next epoch, and thaws the table.
 * </ol>
 *
 * <p>No KV moves: all parts of a range are on its nodes, and the first of these goes on counting the changes of all
 * parts. A node that learns of the split late has the same keys, so one that does not answer may hold other ranges of
 * the table: a transaction that changes a range needs all nodes of that range, and these are quiet. The freeze keeps an
 * append from being cut for two directories; one that only a silent node still has is refused by its epoch.
 */
final class TableSplit {
    private final TableStatus table;
    private final RangeDirectory directory;
    /** Ids of the nodes of the table that answer. */
    private final List<String> answering;

    private final TableFreeze freeze;
    private final Repair.Effects effects;

    /** @param nodes clients of the nodes that answer, by id; among them all nodes of the ranges that are split */
    TableSplit(TableStatus table, Map<String, RemoteNode> nodes, Repair.Effects effects) {
        this.table = table;
        this.effects = effects;
        directory = table.directory();
        answering = directory.nodes().stream().filter(nodes::containsKey).toList();
        freeze = new TableFreeze(table, nodes, effects);
    }

    /**
     * Finds keys at which to split.
     *
     * @param parts wanted number of parts, by position of the range
     * @return by position of the range, the first keys of its parts but the first one; ranges of one KV are left out
     */
    Map<Integer, List<byte[]>> cuts(Map<Integer, Integer> parts) {
        Map<Integer, List<byte[]>> cuts = new TreeMap<>();
        parts.forEach((range, wanted) -> {
            String holder = directory.ranges().get(range).nodes().get(0);
            List<byte[]> keys =
                    freeze.client(holder).replica(holder, table, freeze.owner()).cuts(directory.span(range), wanted);
            if (!keys.isEmpty()) {
                cuts.put(range, keys);
            }
        });
        return cuts;
    }

    /** The import or the transaction that the split must wait for, and what to do about it; null if there is none. */
    @Nullable
    String blocker() {
        return freeze.blocker(answering);
    }

    /**
     * Splits ranges.
     *
     * @param cuts as {@link #cuts} returns them
     * @throws SluiceException if it failed; the ranges are as before, unless only the answer was lost
     */
    void run(Map<Integer, List<byte[]>> cuts) {
        RangeDirectory next = directory.split(cuts).atEpoch(directory.epoch() + 1);
        ClusterChange.Moved moved = ClusterChange.Moved.of(table.table().id(), next, table.published());
        freeze.run(answering.stream().map(freeze::quiet).toList(), frozen -> {
            effects.change(ClusterChange.moving(moved, frozen));
            return true;
        });
        freeze.awaitKnown(next.epoch(), answering);
    }
}
