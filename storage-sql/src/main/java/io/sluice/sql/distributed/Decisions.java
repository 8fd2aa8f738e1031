package io.sluice.sql.distributed;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Outcome;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The decisions about transactions on several nodes, and the positions of change logs that these have committed, by the
 * entries of the replicated log: a function of the entries alone. Thread-safe.
 *
 * <pre>
 *                commit                      all its nodes have reported, or were removed
 *   undecided  ---------->  committed  ------------------------------------------------------>  forgotten
 *       |
 *       |  abort                             there are {@value #MAX_ABORTS} later ones
 *       +----------------->  aborted   ------------------------------------------------------>  forgotten
 * </pre>
 *
 * <p>A forgotten transaction looks like an undecided one. So entries carry what their authors had seen of the log:
 *
 * <ul>
 *   <li>A node asks only while it has a prepared branch. A commit is forgotten after that node has reported the end of
 *       its branches, which it had seen then. An abort whose author has seen less than the last forgotten commit has no
 *       effect: it may be late, and the branch may have ended.
 *   <li>A coordinator reads the log before it prepares. If its transaction was aborted and that is forgotten, the abort
 *       is a later entry than the one it saw. So a commit whose author has seen less than the last forgotten abort is
 *       refused.
 * </ul>
 */
public final class Decisions {
    /** Commits that wait for reports, which come each second: beyond, further ones are aborted. Some 200 bytes each. */
    static final int MAX_COMMITS = 16_384;
    /** Aborts are rare: a coordinator that dies or is slow leaves one behind. */
    static final int MAX_ABORTS = 4_096;

    /** Change logs whose positions are kept, one for each log that is applied. Some 200 bytes each, at most 6 kB. */
    static final int MAX_LOGS = 4_096;

    private final Predicate<String> removed;
    private final Map<UUID, Commit> commits = new LinkedHashMap<>();
    /** Aborted transactions, oldest first, with the indexes of their entries. */
    private final Map<UUID, Long> aborts = new LinkedHashMap<>();
    /** By node, the index of the entry through which its branches of committed transactions have ended. */
    private final Map<String, Long> reported = new TreeMap<>();
    /** The positions of change logs, by their names: each is that of the last commit that had one. */
    private final Map<String, byte[]> positions = new TreeMap<>();

    private long commitsForgotten;
    private long abortsForgotten;
    private long applied;

    /**
     * An entry about transactions.
     *
     * @param decisions the decisions, each of which counts or not on its own
     * @param report the end of a node's branches; null: none
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Entry(List<Decision> decisions, @Nullable Report report) {
        /** A member that only entries of this kind have. */
        public static final String MEMBER = "decisions";

        public Entry {
            decisions = List.copyOf(decisions);
        }
    }

    /** A node's report that it has durably ended its branches of all transactions committed through an entry. */
    public record Report(String node, long through) {}

    /**
     * A committed transaction.
     *
     * @param index index of its entry
     * @param nodes ids of the nodes with branches
     */
    private record Commit(long index, List<String> nodes) {}

    /** All of it in a snapshot, in JSON. */
    public record Stored(
            List<StoredDecision> decided,
            Map<String, Long> reported,
            long commitsForgotten,
            long abortsForgotten,
            long applied,
            @Nullable Map<String, byte[]> positions) {}

    /** A decision in a snapshot; without nodes: an abort. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record StoredDecision(
            UUID transaction, long index, @Nullable List<String> nodes) {}

    /**
     * Creates the state of an empty log.
     *
     * @param removed whether a node was removed from the cluster, so that its branches do not matter any more
     */
    public Decisions(Predicate<String> removed) {
        this.removed = removed;
    }

    /** Applies an entry; returns the outcomes of its transactions, in their order. */
    public synchronized List<Outcome> apply(long index, Entry entry) {
        applied = index;
        List<Outcome> outcomes = new ArrayList<>();
        entry.decisions().forEach(each -> outcomes.add(apply(index, each)));
        Report report = entry.report();
        if (report != null && !removed.test(report.node())) {
            reported.merge(report.node(), report.through(), Math::max);
            forgetCommits();
        }
        return outcomes;
    }

    private Outcome apply(long index, Decision decision) {
        UUID transaction = decision.transaction();
        Outcome known = outcome(transaction);
        List<String> nodes = decision.nodes();
        if (known != Outcome.UNKNOWN) {
            return known;
        }
        if (nodes == null && decision.seen() < commitsForgotten) {
            return Outcome.UNKNOWN;
        }
        if (nodes != null && decision.seen() < abortsForgotten) {
            return Outcome.ABORTED;
        }
        if (nodes != null && commits.size() < MAX_COMMITS && keeps(decision.log())) {
            commits.put(transaction, new Commit(index, nodes));
            return Outcome.COMMITTED;
        }
        aborts.put(transaction, index);
        if (aborts.size() > MAX_ABORTS) {
            var oldest = aborts.entrySet().iterator();
            abortsForgotten = Math.max(abortsForgotten, oldest.next().getValue());
            oldest.remove();
        }
        return Outcome.ABORTED;
    }

    /**
     * Keeps the position of a change log, unless there is no room for it, or it does not follow the last one: another
     * run has applied those changes, or the commit is repeated after it was forgotten and others came after it.
     */
    private boolean keeps(@Nullable LogPosition log) {
        if (log == null) {
            return true;
        }
        byte[] last = positions.get(log.log());
        boolean follows = Arrays.equals(last, log.before()) || Arrays.equals(last, log.position());
        if (!follows || (last == null && positions.size() >= MAX_LOGS)) {
            return false;
        }
        positions.put(log.log(), log.position());
        return true;
    }

    /** See {@link DecisionLog#position}. */
    public synchronized byte @Nullable [] position(String log) {
        byte[] position = positions.get(log);
        if (position == null && positions.size() >= MAX_LOGS) {
            throw new StatementException(
                    SqlErrorCode.FAILED,
                    "the cluster keeps the positions of " + MAX_LOGS + " change logs, and no more; give " + log
                            + " the name of one that is done, with --log-name and --from-start");
        }
        return position;
    }

    private void forgetCommits() {
        commits.values().removeIf(commit -> {
            boolean done = commit.nodes().stream().allMatch(node -> removed.test(node) || hasReported(node, commit));
            if (done) {
                commitsForgotten = Math.max(commitsForgotten, commit.index());
            }
            return done;
        });
    }

    private boolean hasReported(String node, Commit commit) {
        return reported.getOrDefault(node, 0L) >= commit.index();
    }

    /** Goes on without the nodes that were removed by now. */
    public synchronized void nodesRemoved() {
        reported.keySet().removeIf(removed);
        forgetCommits();
    }

    /** The outcome of a transaction; {@code UNKNOWN}: it is undecided or forgotten. */
    public synchronized Outcome outcome(UUID transaction) {
        if (commits.containsKey(transaction)) {
            return Outcome.COMMITTED;
        }
        return aborts.containsKey(transaction) ? Outcome.ABORTED : Outcome.UNKNOWN;
    }

    /** Index of the last entry. */
    public synchronized long applied() {
        return applied;
    }

    /** Index of the last commit with a branch on a node that it has not reported; 0: there is none. */
    public synchronized long unreported(String node) {
        return commits.values().stream()
                .filter(commit -> commit.nodes().contains(node) && !hasReported(node, commit))
                .mapToLong(Commit::index)
                .max()
                .orElse(0);
    }

    /** Number of commits that wait for reports. */
    public synchronized int commits() {
        return commits.size();
    }

    /** All of it. */
    public synchronized Stored stored() {
        List<StoredDecision> decided = new ArrayList<>();
        commits.forEach((id, commit) -> decided.add(new StoredDecision(id, commit.index(), commit.nodes())));
        aborts.forEach((id, index) -> decided.add(new StoredDecision(id, index, null)));
        return new Stored(
                decided, new HashMap<>(reported), commitsForgotten, abortsForgotten, applied, new TreeMap<>(positions));
    }

    /** Takes over those of a snapshot; null: it is from before there were any. */
    public synchronized void restore(@Nullable Stored stored) {
        commits.clear();
        aborts.clear();
        reported.clear();
        positions.clear();
        commitsForgotten = stored == null ? 0 : stored.commitsForgotten();
        abortsForgotten = stored == null ? 0 : stored.abortsForgotten();
        applied = stored == null ? 0 : stored.applied();
        if (stored == null) {
            return;
        }
        reported.putAll(stored.reported());
        positions.putAll(Objects.requireNonNullElse(stored.positions(), Map.of()));
        for (StoredDecision each : stored.decided()) {
            List<String> nodes = each.nodes();
            if (nodes == null) {
                aborts.put(each.transaction(), each.index());
            } else {
                commits.put(each.transaction(), new Commit(each.index(), nodes));
            }
        }
    }
}
