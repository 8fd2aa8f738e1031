package io.sluice.sql.distributed;

import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.Difference;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.TableChanges;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.AmbiguousCommitException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.sql.transaction.Overlay;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Commits a transaction on several nodes by two-phase commit with the last-agent optimization:
 *
 * <ol>
 *   <li>build one branch per node: the node's part of the write set, and the read set on that node;
 *   <li>choose the last agent among the nodes that are written to;
 *   <li>prepare all other branches in parallel: from then on no conflicting transaction can commit on their nodes;
 *   <li>commit the last agent's branch. Its outcome decides the transaction, and is the client's answer;
 *   <li>send the decision to the other nodes in the background.
 * </ol>
 *
 * <p>In step 4 only an explicit refusal by the last agent aborts the other branches. After a failure the coordinator
 * resends the commit. If that fails too, the outcome is in doubt, and the other nodes ask the last agent for it. They
 * do the same if the coordinator crashes. A last agent that is asked before step 4 aborts the transaction. With a
 * single node there is only step 4.
 */
final class TwoPhaseCommit {
    /**
     * Number of times that the commit is sent if a proxy answers instead of the last agent, or the last agent fails.
     */
    private static final int MAX_TRIES = 3;

    private static final long RETRY_PAUSE_MILLIS = 100;

    private final DistributedTables tables;
    private final ClusterView clusterView;
    private final Function<String, NodeSnapshot> open;
    private final Map<String, NodeSnapshot> snapshots;
    private final Map<String, Branch> branches = new TreeMap<>();

    /**
     * Commits one transaction; used once.
     *
     * @param open returns the transaction's snapshot on a node
     * @param snapshots the transaction's snapshots so far, by node id
     */
    TwoPhaseCommit(
            DistributedTables tables,
            ClusterView clusterView,
            Function<String, NodeSnapshot> open,
            Map<String, NodeSnapshot> snapshots) {
        this.tables = tables;
        this.clusterView = clusterView;
        this.open = open;
        this.snapshots = snapshots;
    }

    /** The transaction's branch on one node. */
    private static final class Branch {
        private final NodeSnapshot snapshot;
        private final Map<Integer, Writes> written = new LinkedHashMap<>();
        private final Map<Overlay.IndexId, KvChecksum> differences = new HashMap<>();

        Branch(NodeSnapshot snapshot) {
            this.snapshot = snapshot;
        }

        void write(int table, byte[] key, byte @Nullable [] value) {
            Writes writes = written.computeIfAbsent(table, none -> new Writes(new ArrayList<>(), new ArrayList<>()));
            writes.keys().add(key);
            writes.values().add(value);
        }

        boolean writes() {
            return !written.isEmpty();
        }

        Changes changes(@Nullable LogPosition log) {
            List<TableChanges> all = new ArrayList<>();
            written.forEach((table, each) -> all.add(new TableChanges(table, each.keys(), each.values())));
            List<Difference> sums = new ArrayList<>();
            differences.forEach((index, sum) -> sums.add(Difference.of(index.tableId(), index.ordinal(), sum)));
            return new Changes(snapshot.open(), all, snapshot.read(), sums, log);
        }
    }

    private record Writes(List<byte[]> keys, List<byte @Nullable []> values) {}

    /**
     * Commits the transaction.
     *
     * @throws io.sluice.grammar.StatementException if it is refused; nothing was written then
     * @throws AmbiguousCommitException if the outcome is in doubt
     * @throws OperationFailedException if a node fails to prepare; nothing was written then
     */
    void run(Overlay overlay, @Nullable LogPosition log) {
        splitIntoBranches(overlay);
        snapshots.forEach((id, snapshot) -> {
            if (!snapshot.read().isEmpty()) {
                branch(id);
            }
        });
        Branch lastAgent = lastAgent(log);
        List<Branch> others = new ArrayList<>(branches.values());
        others.remove(lastAgent);
        UUID transaction = lastAgent.snapshot.open();
        Changes last = lastAgent.changes(log);
        Participant node = lastAgent.snapshot.node();
        prepare(transaction, new LastAgent(node.id(), node.address()), others);
        decide(transaction, lastAgent, last, others);
    }

    private void splitIntoBranches(Overlay overlay) {
        Map<Integer, Placement> placements = new HashMap<>();
        overlay.forEach((key, change) -> {
            int table = change.index().tableId();
            List<String> holders =
                    placements.computeIfAbsent(table, clusterView::require).holders(key);
            holders.forEach(node -> branch(node).write(table, key, change.now()));
            branch(holders.get(0)).differences.merge(change.index(), change.difference(), KvChecksum::plus);
        });
    }

    private Branch branch(String node) {
        return branches.computeIfAbsent(node, id -> new Branch(open.apply(id)));
    }

    /** Chooses the last agent. If a log position is committed, it is the node that stores log positions. */
    private Branch lastAgent(@Nullable LogPosition log) {
        if (log != null) {
            return branch(clusterView.logNode());
        }
        return branches.values().stream().filter(Branch::writes).findFirst().orElseThrow();
    }

    private void prepare(UUID transaction, LastAgent lastAgent, List<Branch> others) {
        List<Participant> prepared = Collections.synchronizedList(new ArrayList<>());
        List<Runnable> work = new ArrayList<>();
        for (Branch branch : others) {
            work.add(() -> {
                Participant node = branch.snapshot.node();
                Changes changes = branch.changes(null);
                // Added before the request: a node that does not answer may be prepared too.
                prepared.add(node);
                node.prepare(transaction, lastAgent, changes);
                branch.snapshot.markConsumed();
            });
        }
        try {
            tables.tasks().runAll(work);
        } catch (RuntimeException e) {
            tables.notifier().abort(transaction, prepared);
            throw e;
        }
    }

    private void decide(UUID transaction, Branch lastAgent, Changes changes, List<Branch> others) {
        List<Participant> nodes =
                others.stream().map(branch -> branch.snapshot.node()).toList();
        Participant node = lastAgent.snapshot.node();
        try {
            commit(node, changes, nodes.stream().map(Participant::id).toList());
        } catch (StatementException e) {
            tables.notifier().abort(transaction, nodes);
            throw e;
        } catch (SluiceException e) {
            throw new AmbiguousCommitException(
                    "it is not known yet whether transaction " + transaction + " was committed: " + e.getMessage()
                            + " It is on all nodes or on none; node " + node.id() + " (" + node.address()
                            + ") knows, and the others ask it. Check the rows before you run it again.",
                    e);
        }
        lastAgent.snapshot.markConsumed();
        tables.notifier().commit(transaction, node, nodes);
    }

    private static void commit(Participant node, Changes changes, List<String> others) {
        for (int tries = 1; ; tries++) {
            try {
                node.commit(changes, others);
                return;
            } catch (NodeUnreachableException e) {
                throw e;
            } catch (OperationFailedException e) {
                if (tries == MAX_TRIES || !pause(tries * RETRY_PAUSE_MILLIS)) {
                    throw e;
                }
            }
        }
    }

    private static boolean pause(long millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
