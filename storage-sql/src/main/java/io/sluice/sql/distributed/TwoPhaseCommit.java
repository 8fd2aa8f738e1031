package io.sluice.sql.distributed;

import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.Changes.Difference;
import io.sluice.api.transaction.Changes.TableChanges;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Placement;
import io.sluice.grammar.SqlErrorCode;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits a transaction on several nodes by two-phase commit. In a cluster, its replicated log decides:
 *
 * <ol>
 *   <li>build one branch per node: the node's part of the write set, and the read set on that node;
 *   <li>prepare all branches in parallel: from then on no conflicting transaction can commit on their nodes;
 *   <li>write the commit to the log. It is an entry unless a node has asked for the outcome before, which aborts the
 *       transaction;
 *   <li>send the commit to the nodes, and answer the client. A node that is lost does not matter: another entry leaves
 *       it out, or it reads the commit in the log when it is back.
 * </ol>
 *
 * <p>A node that does not answer before the decision is left out, too: the coordinator asks for that, and refuses the
 * transaction with a conflict, so that it is run again.
 *
 * <p>Nodes without a log use the last-agent optimization: all nodes but one prepare, and the last one that is written
 * to commits. Its outcome decides the transaction, and is the client's answer. The others get it in the background. A
 * transaction on a single node needs no decision besides its commit there.
 */
final class TwoPhaseCommit {
    private static final Logger LOG = LoggerFactory.getLogger(TwoPhaseCommit.class);

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
    private final Map<Integer, Placement> placements = new HashMap<>();

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
        private final String id;
        private final NodeSnapshot snapshot;
        private final Map<Integer, Writes> written = new LinkedHashMap<>();
        private final Map<Overlay.IndexId, KvChecksum> differences = new HashMap<>();

        Branch(String id, NodeSnapshot snapshot) {
            this.id = id;
            this.snapshot = snapshot;
        }

        LastAgent agent() {
            return new LastAgent(snapshot.node().id(), snapshot.node().address());
        }

        /** Whether each of its changes is on another node, too. */
        boolean replicated(Function<Integer, Placement> placements) {
            return written.entrySet().stream().allMatch(each -> each.getValue().keys().stream()
                    .allMatch(
                            key -> placements.apply(each.getKey()).holders(key).size() > 1));
        }

        /** Whether its node has any of the keys that it changes. */
        boolean counts(Function<Integer, @Nullable Placement> placements) {
            return written.entrySet().stream().anyMatch(each -> {
                Placement table = placements.apply(each.getKey());
                return table != null
                        && each.getValue().keys().stream()
                                .anyMatch(key -> table.holders(key).contains(id));
            });
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
        Branch first = first(log);
        if (tables.survivesLosses() && (branches.size() > 1 || log != null)) {
            runByLog(first, log);
            return;
        }
        List<Branch> others = new ArrayList<>(branches.values());
        others.remove(first);
        UUID transaction = first.snapshot.open();
        Changes last = first.changes(log);
        prepare(transaction, first.agent(), others, null);
        decide(transaction, first, last, others);
    }

    /**
     * @param first the branch that has the position of a change log, if there is one: its node does not tell the
     *     position while it is in doubt
     */
    private void runByLog(Branch first, @Nullable LogPosition position) {
        // Before anything is prepared: see Decision.
        long seen = tables.seen();
        UUID transaction;
        try {
            transaction = first.snapshot.open();
        } catch (NodeUnreachableException e) {
            goOnWithout(List.of(first));
            throw e;
        }
        List<Branch> all = List.copyOf(branches.values());
        List<Participant> nodes =
                all.stream().map(branch -> branch.snapshot.node()).toList();
        prepare(transaction, null, all, position == null ? null : new OnNode(first, position));
        Outcome outcome;
        try {
            outcome = tables.decide(new Decision(
                    transaction, nodes.stream().map(Participant::id).toList(), seen, position));
        } catch (SluiceException e) {
            throw new AmbiguousCommitException(
                    "it is not known yet whether transaction " + transaction + " was committed: " + e.getMessage()
                            + " It is on all nodes or on none, as the log of the cluster says when most nodes are up."
                            + " Check the rows before you run it again.",
                    e);
        }
        if (outcome != Outcome.COMMITTED) {
            tables.notifier().abort(transaction, nodes);
            tables.outdated(clusterView);
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    position == null
                            ? "a node has asked for the outcome of the transaction before it was decided, which aborts"
                                    + " it; run all of it again"
                            : "another run applies change log " + position.log() + ", or a node has asked for the"
                                    + " outcome of the transaction before it was decided, which aborts it; run all of"
                                    + " it again");
        }
        tell(transaction, nodes, all);
    }

    /** A position of a change log, and the branch that has it. */
    private record OnNode(Branch branch, LogPosition position) {}

    private void splitIntoBranches(Overlay overlay) {
        overlay.forEach((key, change) -> {
            int table = change.index().tableId();
            List<String> holders = placement(table).holders(key);
            ensureAnswering(holders);
            holders.forEach(node -> branch(node).write(table, key, change.now()));
            branch(holders.get(0)).differences.merge(change.index(), change.difference(), KvChecksum::plus);
        });
    }

    private Branch branch(String node) {
        return branches.computeIfAbsent(node, id -> new Branch(id, open.apply(id)));
    }

    private Placement placement(int table) {
        return placements.computeIfAbsent(table, clusterView::require);
    }

    /** Asks the cluster to go on without a silent node, if another one has the keys. */
    private void ensureAnswering(List<String> holders) {
        if (clusterView.nodes().keySet().containsAll(holders)) {
            return;
        }
        List<String> silent = holders.stream()
                .filter(node -> !clusterView.nodes().containsKey(node))
                .toList();
        if (silent.size() < holders.size()) {
            silent.forEach(this::goOnWithout);
        }
    }

    /**
     * Asks the cluster to go on without a node.
     *
     * @throws StatementException if it does now: the transaction must be run again
     */
    private void goOnWithout(String node) {
        if (tables.survivesLosses() && tables.leaveOut(node, clusterView)) {
            throw tables.unanswered(node);
        }
    }

    /** Goes on without the nodes of branches, as far as others have what these write. */
    private void goOnWithout(List<Branch> silent) {
        silent.stream()
                .filter(branch -> branch.writes() && branch.replicated(this::placement))
                .forEach(branch -> goOnWithout(branch.id));
        if (tables.survivesLosses() && !silent.isEmpty() && silent.stream().noneMatch(Branch::writes)) {
            tables.outdated(clusterView);
            throw tables.unanswered(silent.get(0).id);
        }
    }

    /**
     * A branch with changes. If a log position is committed outside a cluster, it is that of the node that stores log
     * positions.
     */
    private Branch first(@Nullable LogPosition log) {
        if (log != null && !tables.survivesLosses()) {
            return branch(clusterView.logNode());
        }
        return branches.values().stream()
                .filter(Branch::writes)
                .findFirst()
                .orElseGet(() -> branch(Collections.min(clusterView.nodes().keySet())));
    }

    /** @param lastAgent null: the log decides */
    private void prepare(UUID transaction, @Nullable LastAgent lastAgent, List<Branch> all, @Nullable OnNode position) {
        List<Participant> prepared = Collections.synchronizedList(new ArrayList<>());
        List<Branch> silent = Collections.synchronizedList(new ArrayList<>());
        List<Runnable> work = new ArrayList<>();
        for (Branch branch : all) {
            work.add(() -> {
                Participant node = branch.snapshot.node();
                try {
                    Changes changes = branch.changes(
                            position != null && position.branch() == branch ? position.position() : null);
                    // Added before the request: a node that does not answer may be prepared too.
                    prepared.add(node);
                    node.prepare(transaction, lastAgent, changes);
                } catch (NodeUnreachableException e) {
                    silent.add(branch);
                    throw e;
                }
                branch.snapshot.markConsumed();
            });
        }
        try {
            tables.tasks().runAll(work);
        } catch (RuntimeException e) {
            tables.notifier().abort(transaction, prepared);
            goOnWithout(List.copyOf(silent));
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
                            + " It is on all nodes or on none; node " + node.described()
                            + " knows, and the others ask it. Check the rows before you run it again.",
                    e);
        }
        lastAgent.snapshot.markConsumed();
        tables.notifier().commit(transaction, node, nodes);
    }

    /**
     * Ends the branches of a committed transaction. If a node does not answer, waits until it is left out, or is back:
     * if it were only slow, it would serve its rows without the commit. After that wait it does not serve them any
     * more. The transaction is committed whatever happens here, so that no error is thrown: its statements would run
     * again.
     */
    private void tell(UUID transaction, List<Participant> nodes, List<Branch> all) {
        List<Participant> left = tables.notifier().commitNow(transaction, nodes);
        try {
            for (Branch branch : all) {
                if (branch.writes() && left.contains(branch.snapshot.node())) {
                    tellOrLeaveOut(transaction, branch);
                }
            }
        } catch (RuntimeException e) {
            LOG.warn("transaction {} is committed; some nodes with its rows do not know yet", transaction, e);
        }
    }

    /** Another transaction may have listed the nodes anew meanwhile; then the cluster is asked at the second try. */
    private void tellOrLeaveOut(UUID transaction, Branch branch) {
        List<Participant> node = List.of(branch.snapshot.node());
        ClusterView view = clusterView;
        boolean knows = false;
        for (int tries = 1; !knows && tries <= MAX_TRIES && tables.leaveOut(branch.id, view); tries++) {
            view = tables.clusterView();
            knows = !branch.counts(view::find)
                    || tables.notifier().commitNow(transaction, node).isEmpty();
        }
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
