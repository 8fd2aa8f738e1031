package io.sluice.client.cluster;

import io.sluice.api.node.KvPage;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ClusterChange.Freeze;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteReplica;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Deletes the KVs of a table on nodes without their ranges. A move or a copy that was given up has left them behind. A
 * node refuses to delete in a range of its own. Deleting fences other copies to the node.
 */
final class LeftBehind {
    private static final long PAGE_BYTES = 8L << 20;

    private final TableStatus table;
    private final Repair.Effects effects;

    LeftBehind(TableStatus table, Repair.Effects effects) {
        this.table = table;
        this.effects = effects;
    }

    /**
     * Deletes what a node has beside its ranges, except in those that it is about to get.
     *
     * @param planned copies of this table
     */
    void delete(String id, RemoteNode node, List<ReplicaPlan.Copy> planned) {
        if (node.table(table.table().name()) == null) {
            return;
        }
        RangeDirectory directory = table.directory();
        Set<Integer> gets = planned.stream()
                .filter(copy -> copy.target().equals(id))
                .map(ReplicaPlan.Copy::range)
                .collect(Collectors.toSet());
        // Neighbours are one span: a node holds few of all ranges.
        KeySpan span = null;
        for (int range = 0; range < directory.ranges().size(); range++) {
            boolean holds = directory.ranges().get(range).nodes().contains(id);
            KeySpan next = directory.span(range);
            if (!holds && !gets.contains(range)) {
                span = new KeySpan(span == null ? next.start() : span.start(), next.end());
            } else if (span != null) {
                delete(id, node, span);
                span = null;
            }
        }
        if (span != null) {
            delete(id, node, span);
        }
    }

    /** Deletes what a node has in a span, of which it holds no range. */
    void delete(String id, RemoteNode node, KeySpan span) {
        RemoteReplica replica = node.replica(id, table, Freeze.newOwner(effects.command()));
        if (replica.page(span, 1, true).count() == 0) {
            return;
        }
        List<KvChecksum> none =
                table.table().indexes().stream().map(index -> KvChecksum.EMPTY).toList();
        replica.begin();
        KeySpan rest = span;
        while (Arrays.compareUnsigned(rest.start(), rest.end()) < 0) {
            KvPage page = replica.page(rest, PAGE_BYTES, true);
            if (page.count() > 0) {
                effects.passing(
                        page.sums().stream().mapToLong(KvChecksum::bytes).sum());
                List<KvChecksum> unused = replica.replace(
                        new KeySpan(rest.start(), page.end()), new KvPage(page.end(), none, List.of(), List.of()));
            }
            rest = new KeySpan(page.end(), rest.end());
        }
        replica.end();
    }
}
