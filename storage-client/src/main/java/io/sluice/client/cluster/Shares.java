package io.sluice.client.cluster;

import io.sluice.api.node.IndexChecksum;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks each node's KVs against those it took, and computes the checksums of the whole table.
 *
 * <p>Equal keys of several SSTs meet in a node, which then has fewer KVs than it took. Each of the R replicas lacks the
 * same number, so together they lack R times the number that the table lacks.
 */
final class Shares {
    private final Table table;
    private final List<MemberSession> branches;
    private final int replicas;

    Shares(Table table, List<MemberSession> branches, int replicas) {
        this.table = table;
        this.branches = branches;
        this.replicas = replicas;
    }

    /**
     * The table's checksums by the nodes' metadata.
     *
     * @param shipped checksums of the shipped KVs per index, each SST once
     * @param found checksums per node and index
     * @throws OperationFailedException when a node has other KVs than it took
     */
    List<IndexChecksum> union(List<IndexChecksum> shipped, List<List<IndexChecksum>> found) {
        List<IndexChecksum> union = new ArrayList<>();
        for (int i = 0; i < table.indexes().size(); i++) {
            long missing = 0;
            for (int node = 0; node < branches.size(); node++) {
                KvChecksum taken =
                        branches.get(node).taken(table.indexes().get(i).def().id());
                KvChecksum there = found.get(node).get(i).sum();
                missing += taken.count() - there.count();
                if (there.count() > taken.count() || (there.count() == taken.count() && !there.equals(taken))) {
                    throw differs(node, i, taken, there);
                }
            }
            KvChecksum all = shipped.get(i).sum();
            long repeated = (missing + replicas - 1) / replicas;
            union.add(new IndexChecksum(
                    shipped.get(i).index(), new KvChecksum(all.count() - repeated, all.bytes(), all.crcSum())));
        }
        return union;
    }

    private OperationFailedException differs(int node, int ordinal, KvChecksum taken, KvChecksum there) {
        return new OperationFailedException("verification failed\ntable " + table.name() + ", index "
                + table.indexes().get(ordinal).def().name() + ", node "
                + branches.get(node).member().described() + ": it took " + taken.count() + " KVs with checksum "
                + taken.digest() + ", and has " + there.count() + " with checksum " + there.digest()
                + "\nThis is a defect of Sluice or of the machine; please report it.");
    }
}
