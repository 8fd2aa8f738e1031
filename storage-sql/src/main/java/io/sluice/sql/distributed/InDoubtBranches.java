package io.sluice.sql.distributed;

import io.sluice.api.transaction.InDoubtBranch;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.LogPosition;
import io.sluice.engine.store.WriteSet;
import io.sluice.node.catalog.AppliedLogs;
import io.sluice.node.catalog.SharedTransactions;
import io.sluice.node.catalog.SharedTransactions.Prepared;
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
import org.jspecify.annotations.Nullable;

/**
 * This node's prepared branches whose outcome it does not know. The last agent tells it, or the log of the cluster.
 * Thread-safe.
 */
final class InDoubtBranches {
    private final Commits commits;
    private final Map<UUID, Branch> branches = new ConcurrentHashMap<>();

    /**
     * A branch.
     *
     * @param lastAgent null: the log of the cluster decides
     * @param restored whether it was prepared before the store was opened
     * @param log position of a change log that it commits, or null
     */
    private record Branch(
            @Nullable LastAgent lastAgent,
            long sinceMillis,
            boolean restored,
            Intent intent,
            @Nullable LogPosition log) {
        /** Whether its decision should be here by now. */
        boolean late(long before) {
            return restored || sinceMillis <= before;
        }
    }

    InDoubtBranches(Commits commits) {
        this.commits = commits;
    }

    void add(UUID transaction, Prepared branch, boolean restored, Intent intent) {
        branches.put(
                transaction,
                new Branch(
                        branch.lastAgent(),
                        branch.preparedAtMillis(),
                        restored,
                        intent,
                        branch.changes().log()));
    }

    /** Removes a branch that was refused. */
    void remove(UUID transaction) {
        branches.remove(transaction);
    }

    int size() {
        return branches.size();
    }

    boolean has(UUID transaction) {
        return branches.containsKey(transaction);
    }

    /** The last agent of a branch; null if there is no such branch, or the log of the cluster decides. */
    @Nullable
    LastAgent lastAgent(UUID transaction) {
        Branch branch = branches.get(transaction);
        return branch == null ? null : branch.lastAgent();
    }

    /** Whether a branch may change the position of a change log. */
    boolean writesPosition(String log) {
        return branches.values().stream()
                .map(Branch::log)
                .anyMatch(position -> position != null && position.log().equals(log));
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
            LastAgent agent = branch.lastAgent();
            if (agent != null && branch.late(before)) {
                late.computeIfAbsent(agent, none -> new ArrayList<>()).add(id);
            }
        });
        return late;
    }

    /** Branches that the log of the cluster decides, by transaction; true: its decision should be here by now. */
    Map<UUID, Boolean> decidedByLog(long before) {
        Map<UUID, Boolean> found = new HashMap<>();
        branches.forEach((id, branch) -> {
            if (branch.lastAgent() == null) {
                found.put(id, branch.late(before));
            }
        });
        return found;
    }

    /** Ends a branch, without a sync. Ignores one that has ended. */
    void end(UUID transaction, boolean commit) {
        Branch branch = branches.get(transaction);
        WriteSet alongside = new WriteSet();
        SharedTransactions.ended(alongside, transaction);
        LogPosition position = branch == null ? null : branch.log();
        if (commit && position != null) {
            AppliedLogs.record(alongside, position);
        }
        commits.end(transaction, commit, alongside);
        branches.remove(transaction);
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
