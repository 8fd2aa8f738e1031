package io.sluice.client.cluster;

import io.sluice.api.node.KvPage;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteReplica;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Sizes of ranges: of a small table by reading it, of a larger one by the nodes' estimates. These are scaled to the
 * bytes of the table, since they are of files, perhaps compressed, which may have KVs of interleaved tables, too.
 */
final class RangeSizes {
    /** A table up to this size is read: estimates are of whole blocks. */
    private static final long SMALL_BYTES = 64L << 20;

    private static final long ALL_BYTES = Long.MAX_VALUE;

    private final Map<String, RemoteNode> up;
    private final Repair.Effects effects;

    /** @param up clients of the nodes that answer, by id */
    RangeSizes(Map<String, RemoteNode> up, Repair.Effects effects) {
        this.up = up;
        this.effects = effects;
    }

    /**
     * The ranges of a table with their sizes; one without a replica on a node that answers counts as an average one.
     */
    ReplicaPlan.Ranges of(TableStatus table) {
        RangeDirectory directory = table.directory();
        long total = table.imported().stream()
                .mapToLong(index -> index.sum().bytes())
                .sum();
        Map<String, List<Long>> estimates = new HashMap<>();
        List<Long> sizes = new ArrayList<>();
        double sum = 0;
        for (int range = 0; range < directory.ranges().size(); range++) {
            String holder = directory.ranges().get(range).nodes().stream()
                    .filter(up::containsKey)
                    .findFirst()
                    .orElse(null);
            RemoteNode node = holder == null ? null : up.get(holder);
            long size;
            if (holder == null || node == null) {
                size = total / directory.ranges().size();
            } else if (total <= SMALL_BYTES) {
                size = read(replica(holder, node, table), directory.span(range));
            } else {
                List<Long> all = estimates.computeIfAbsent(
                        holder, id -> replica(id, node, table).bytes());
                if (all.size() != directory.ranges().size()) {
                    throw new OperationFailedException("table " + table.table().name() + ": node "
                            + effects.described(holder) + " has other ranges");
                }
                size = all.get(range);
            }
            sizes.add(size);
            sum += size;
        }
        double scale = total > SMALL_BYTES && sum > 0 ? total / sum : 1;
        return new ReplicaPlan.Ranges(
                table.table().name(),
                directory,
                sizes.stream().map(size -> (long) (size * scale)).toList());
    }

    private static RemoteReplica replica(String id, RemoteNode node, TableStatus table) {
        return node.replica(id, table, UUID.randomUUID().toString());
    }

    private static long read(RemoteReplica replica, KeySpan span) {
        long bytes = 0;
        KeySpan rest = span;
        while (Arrays.compareUnsigned(rest.start(), rest.end()) < 0) {
            KvPage page = replica.page(rest, ALL_BYTES, true);
            bytes += page.sums().stream().mapToLong(KvChecksum::bytes).sum();
            rest = new KeySpan(page.end(), rest.end());
        }
        return bytes;
    }
}
