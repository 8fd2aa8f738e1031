package io.sluice.sql.distributed;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.transaction.InDoubtBranch;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.TableChanges;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.RowBatch;
import io.sluice.engine.store.WriteSet;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.node.catalog.SharedTransactions;
import io.sluice.node.catalog.SharedTransactions.Prepared;
import io.sluice.node.catalog.TableRecord;
import io.sluice.sql.transaction.Commits;
import io.sluice.sql.transaction.Intent;
import io.sluice.sql.transaction.SpanSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * This node's prepared branches whose outcome it does not know. Thread-safe.
 *
 * <p>The last agent tells the outcome. If the cluster has left it out, its own branch has no effect any more.
 * Coordinators report a commit only after all other participants have it. So these agree:
 *
 * <ol>
 *   <li>a branch becomes orphaned, durably. From then on only an agreement commits it, not the coordinator;
 *   <li>its node asks the other participants. Each has committed its branch, or has no such branch, or orphans it too;
 *   <li>if one has committed, the branch is committed. If none has, it is aborted.
 * </ol>
 */
final class InDoubtBranches {
    private final RocksStore store;
    private final SharedTransactions stored;
    private final Commits commits;
    private final CommitRecords records;
    private final IntFunction<@Nullable TableRecord> tables;
    private final Map<UUID, Branch> branches = new ConcurrentHashMap<>();
    /** Nodes that may be lost; true: the cluster has moved tables off the node. */
    private volatile Map<String, Boolean> suspects = Map.of();

    /**
     * A branch.
     *
     * @param restored whether it was prepared before the store was opened
     * @param others the other participants, if they can agree without the last agent; null: they cannot
     */
    private record Branch(
            LastAgent lastAgent,
            long sinceMillis,
            boolean restored,
            Intent intent,
            @Nullable List<LastAgent> others,
            boolean orphaned) {
        /** Whether its decision should be here by now. */
        boolean late(long before) {
            return restored || sinceMillis <= before;
        }

        Branch orphan() {
            return new Branch(lastAgent, sinceMillis, restored, intent, others, true);
        }
    }

    InDoubtBranches(
            RocksStore store,
            SharedTransactions stored,
            Commits commits,
            CommitRecords records,
            IntFunction<@Nullable TableRecord> tables) {
        this.store = store;
        this.stored = stored;
        this.commits = commits;
        this.records = records;
        this.tables = tables;
    }

    void add(UUID transaction, Prepared branch, boolean restored, Intent intent) {
        branches.put(
                transaction,
                new Branch(
                        branch.lastAgent(),
                        branch.preparedAtMillis(),
                        restored,
                        intent,
                        branch.others(),
                        branch.orphaned()));
    }

    int size() {
        return branches.size();
    }

    /** The last agent of a branch; null if there is no such branch. */
    @Nullable
    LastAgent lastAgent(UUID transaction) {
        Branch branch = branches.get(transaction);
        return branch == null ? null : branch.lastAgent();
    }

    void suspects(Map<String, Boolean> leftOut) {
        suspects = Map.copyOf(leftOut);
    }

    /** Refuses a last agent that may be lost: it cannot commit before it is back, with another snapshot. */
    void ensureTrusted(LastAgent agent) {
        if (suspects.containsKey(agent.id())) {
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    agent + " did not answer, and the cluster waits for it or goes on without it; run all of it again");
        }
    }

    /** Keys written by late branches, by transaction: their decisions should be here by now. */
    Map<UUID, SpanSet> written(long before) {
        Map<UUID, SpanSet> late = new HashMap<>();
        branches.forEach((id, branch) -> {
            if (branch.late(before)) {
                late.put(id, branch.intent().written());
            }
        });
        return late;
    }

    /** Late branches that wait for their last agents. */
    Map<LastAgent, List<UUID>> lateByLastAgent(long before) {
        Map<LastAgent, List<UUID>> late = new LinkedHashMap<>();
        branches.forEach((id, branch) -> {
            if (branch.late(before) && !branch.orphaned()) {
                late.computeIfAbsent(branch.lastAgent(), none -> new ArrayList<>())
                        .add(id);
            }
        });
        return late;
    }

    /** Whether participants can go on without a last agent for which they wait. */
    boolean dispensable(String lastAgent) {
        return branches.values().stream()
                .anyMatch(branch ->
                        branch.lastAgent().id().equals(lastAgent) && branch.others() != null && !branch.orphaned());
    }

    /** The orphaned branches, with those that are now; by transaction, the other participants. */
    Map<UUID, List<LastAgent>> orphaned() {
        Map<UUID, List<LastAgent>> orphaned = new LinkedHashMap<>();
        branches.keySet().forEach(id -> {
            List<LastAgent> others = orphan(id);
            if (others != null) {
                orphaned.put(id, others);
            }
        });
        return orphaned;
    }

    /** Orphans a branch if its last agent was left out; the other participants if it is orphaned, or else null. */
    private synchronized @Nullable List<LastAgent> orphan(UUID transaction) {
        Branch branch = branches.get(transaction);
        if (branch == null || branch.others() == null) {
            return null;
        }
        if (branch.orphaned()) {
            return branch.others();
        }
        String agent = branch.lastAgent().id();
        Prepared record = suspects.getOrDefault(agent, false) ? stored.prepared(transaction) : null;
        if (record == null || record.changes().changes().stream().anyMatch(each -> hasAny(agent, each))) {
            return null;
        }
        WriteSet writes = new WriteSet();
        SharedTransactions.prepared(writes, transaction, record.orphan());
        store.write(new RowBatch(), writes);
        store.syncLog();
        branches.put(transaction, branch.orphan());
        return branch.others();
    }

    /** Whether a node still has one of the keys; then its own branch has an effect. */
    private boolean hasAny(String node, TableChanges changes) {
        TableRecord record = tables.apply(changes.table());
        RangeDirectory directory = record == null ? RangeDirectory.SINGLE_NODE : record.directory();
        return !directory.ranges().isEmpty()
                && changes.keys().stream().anyMatch(key -> directory
                        .ranges()
                        .get(directory.rangeOf(key))
                        .nodes()
                        .contains(node));
    }

    /**
     * Returns the outcome of a branch whose last agent is lost. {@code ABORTED}: the node does not commit it without an
     * agreement; {@code UNKNOWN}: the last agent may still tell.
     */
    synchronized Outcome outcome(UUID transaction) {
        if (branches.containsKey(transaction)) {
            return orphan(transaction) == null ? Outcome.UNKNOWN : Outcome.ABORTED;
        }
        if (records.committed(transaction)) {
            return Outcome.COMMITTED;
        }
        return records.forgotten(transaction) ? Outcome.UNKNOWN : Outcome.ABORTED;
    }

    /**
     * Ends a branch, without a sync. It keeps a record of a commit, for participants that ask.
     *
     * @param agreed whether an agreement or an operator decides
     * @return whether the transaction has that outcome here, as far as is known
     */
    synchronized boolean end(UUID transaction, boolean commit, boolean agreed) {
        Branch branch = branches.get(transaction);
        if (branch != null && branch.orphaned() && commit && !agreed) {
            return false;
        }
        boolean here = commits.isPrepared(transaction);
        WriteSet alongside = new WriteSet();
        SharedTransactions.ended(alongside, transaction);
        if (here && commit) {
            SharedTransactions.committed(alongside, transaction, List.of());
        }
        commits.end(transaction, commit, alongside);
        branches.remove(transaction);
        if (here && commit) {
            records.added(transaction, List.of());
        }
        return here || !commit || records.committed(transaction) || records.forgotten(transaction);
    }

    /**
     * All branches, oldest first.
     *
     * @param names names of tables by their ids
     */
    List<InDoubtBranch> list(long now, Map<Integer, String> names) {
        return branches.entrySet().stream()
                .map(each -> new InDoubtBranch(
                        each.getKey(),
                        each.getValue().lastAgent(),
                        Math.max(0, now - each.getValue().sinceMillis()),
                        each.getValue().intent().tables().stream()
                                .map(id -> names.getOrDefault(id, "id " + id))
                                .toList()))
                .sorted(Comparator.comparingLong(InDoubtBranch::ageMillis).reversed())
                .toList();
    }
}
