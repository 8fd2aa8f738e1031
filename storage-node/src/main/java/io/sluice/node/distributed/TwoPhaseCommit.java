package io.sluice.node.distributed;

import io.sluice.api.error.AmbiguousCommitException;
import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.error.SluiceException;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.sql.StatementException;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.Difference;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.TableChanges;
import io.sluice.node.transaction.Overlay;
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
 * The end of a transaction on several nodes, by two-phase commit with a last agent:
 *
 * <ol>
 *   <li>divide what was written, by which node holds it, and add what was read from each node: these are the branches;
 *   <li>choose the last agent: a node that is written to;
 *   <li>have all others prepare, at once: what they have read and write can then be committed whatever happens;
 *   <li>have the last agent commit its branch, if it still can: that is the decision for all, and the client's answer;
 *   <li>tell the others, in the background.
 * </ol>
 *
 * Only the last agent's explicit refusal in step 4 aborts the others. After any other failure the commit is sent again;
 * and if that does not help, the outcome is not known: the others ask the last agent until it says. They do the same
 * when this process dies. Before step 4 being asked makes the last agent decide that the transaction is not committed.
 * With a single node, step 4 is all there is.
 */
final class TwoPhaseCommit {
    /** How often a commit is sent when something else than its node answers, or the node fails. */
    private static final int TRIES = 3;

    private static final long PAUSE_MILLIS = 100;

    private final DistributedTables tables;
    private final ClusterView known;
    private final Function<String, NodeSnapshot> open;
    private final Map<String, NodeSnapshot> snapshots;
    private final Map<String, Branch> branches = new TreeMap<>();

    /**
     * Of one transaction.
     *
     * @param open the transaction's snapshot on a node
     * @param snapshots those that there are
     */
    TwoPhaseCommit(
            DistributedTables tables,
            ClusterView known,
            Function<String, NodeSnapshot> open,
            Map<String, NodeSnapshot> snapshots) {
        this.tables = tables;
        this.known = known;
        this.open = open;
        this.snapshots = snapshots;
    }

    /** What one node has to do with it. */
    private static final class Branch {
        private final NodeSnapshot snapshot;
        private final Map<Integer, Writes> written = new LinkedHashMap<>();
        private final Map<Overlay.Place, KvChecksum> differences = new HashMap<>();

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
            differences.forEach((place, sum) -> sums.add(Difference.of(place.tableId(), place.ordinal(), sum)));
            return new Changes(snapshot.open(), all, snapshot.read(), sums, log);
        }
    }

    private record Writes(List<byte[]> keys, List<byte @Nullable []> values) {}

    /**
     * Commits.
     *
     * @throws io.sluice.api.sql.StatementException when it is refused; nothing was written then
     * @throws AmbiguousCommitException when it is not known whether it is committed
     * @throws OperationFailedException when a node does not prepare; nothing was written then
     */
    void run(Overlay overlay, @Nullable LogPosition log) {
        divide(overlay);
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

    private void divide(Overlay overlay) {
        Map<Integer, Placement> placements = new HashMap<>();
        overlay.forEach((key, change) -> {
            int table = change.place().tableId();
            List<String> holders =
                    placements.computeIfAbsent(table, known::require).holders(key);
            holders.forEach(node -> branch(node).write(table, key, change.now()));
            branch(holders.get(0)).differences.merge(change.place(), change.difference(), KvChecksum::plus);
        });
    }

    private Branch branch(String node) {
        return branches.computeIfAbsent(node, id -> new Branch(open.apply(id)));
    }

    /** The position of a log is always kept by the same node, which is then the last agent. */
    private Branch lastAgent(@Nullable LogPosition log) {
        if (log != null) {
            return branch(known.keeper());
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
                // Also when no answer comes: it may be prepared.
                prepared.add(node);
                node.prepare(transaction, lastAgent, changes);
                branch.snapshot.used();
            });
        }
        try {
            tables.tasks().all(work);
        } catch (RuntimeException e) {
            tables.aftermath().abort(transaction, prepared);
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
            tables.aftermath().abort(transaction, nodes);
            throw e;
        } catch (SluiceException e) {
            throw new AmbiguousCommitException(
                    "it is not known yet whether transaction " + transaction + " was committed: " + e.getMessage()
                            + " It is on all nodes or on none; node " + node.id() + " (" + node.address()
                            + ") knows, and the others ask it. Look at the rows before you run it again.",
                    e);
        }
        lastAgent.snapshot.used();
        tables.aftermath().commit(transaction, node, nodes);
    }

    private static void commit(Participant node, Changes changes, List<String> others) {
        for (int tries = 1; ; tries++) {
            try {
                node.commit(changes, others);
                return;
            } catch (NodeUnreachableException e) {
                throw e;
            } catch (OperationFailedException e) {
                if (tries == TRIES || !paused(tries * PAUSE_MILLIS)) {
                    throw e;
                }
            }
        }
    }

    private static boolean paused(long millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
