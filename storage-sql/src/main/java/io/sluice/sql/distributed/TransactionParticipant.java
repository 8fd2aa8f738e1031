package io.sluice.sql.distributed;

import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Hold;
import io.sluice.api.transaction.InDoubtBranch;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.api.transaction.ReadSet;
import io.sluice.api.wire.Wire;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.StoreView;
import io.sluice.engine.store.WriteSet;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.thread.Backoff;
import io.sluice.node.catalog.AppliedLogs;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.SharedTransactions;
import io.sluice.node.catalog.SharedTransactions.Prepared;
import io.sluice.node.catalog.TableRecord;
import io.sluice.sql.distributed.Leases.Lease;
import io.sluice.sql.transaction.Commits;
import io.sluice.sql.transaction.Intent;
import io.sluice.sql.transaction.SpanSet;
import io.sluice.sql.transaction.StoreTables;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds this node's branches of transactions that other processes coordinate. Thread-safe. {@link Leases} has the
 * branches that only read so far, {@link Commits} the prepared ones:
 *
 * <pre>
 *                prepare               decide, the log, the last agent's answer, or an operator's decision
 *   snapshot  ----------->  prepared  -------------------------------------------------------->  ended
 *      |
 *      |  commit: see {@link LastAgentCommits}
 *      +-------------------------------->  ended
 *      |
 *      +-- idle, released, or a node asked for the outcome: never committed -->  ended
 * </pre>
 *
 * <p>This node generates the ids of its snapshots and never reuses one. A transaction's id is the id of its snapshot on
 * one of the nodes. In a cluster, the {@link DecisionLog} decides. Elsewhere the node of that snapshot does, as the
 * last agent. If a node with a prepared branch asks for the outcome, the last agent ends that snapshot. Without it, and
 * without a commit record, the transaction can never be committed. So no record of aborted transactions is needed
 * (presumed abort).
 */
public final class TransactionParticipant implements Participant {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionParticipant.class);
    /** Limit of prepared branches, in addition to the limits of commits. */
    private static final int MAX_PREPARED = 1024;

    /** Ten waits of 0.1 to 1 s: longer than a node that serves may lack entries of the log. */
    private static final Backoff SEEN = new Backoff(100, 1_000, 10);

    private final RocksStore store;
    private final Catalog catalog;
    private final Commits commits;
    private final Clock clock;
    private final long askAfterMillis;
    private final Leases leases;
    private final LeasedReads reads;
    private final CommitRecords records;
    private final LastAgentCommits lastAgent;
    private final TransactionIds ids;
    /** Identifies this opening of the store; publications are counted from it. */
    private final String opened = UUID.randomUUID().toString();

    private final InDoubtBranches inDoubt;

    /**
     * Participates with one store; restores the branches that were prepared when it was closed.
     *
     * @param tables tables of the store; distributed and local transactions share its conflict checks
     * @param snapshots limit of concurrent snapshots that remote coordinators read
     * @param idleMillis time after which an unused snapshot ends
     * @param askAfterMillis time that a branch is in doubt before {@link Resolver} asks its last agent
     */
    public TransactionParticipant(
            StoreTables tables, int snapshots, long idleMillis, long askAfterMillis, Clock clock) {
        store = tables.store();
        catalog = tables.catalog();
        commits = tables.commits();
        this.clock = clock;
        this.askAfterMillis = askAfterMillis;
        leases = new Leases(snapshots, idleMillis, clock);
        reads = new LeasedReads(store, this::record);
        SharedTransactions stored = new SharedTransactions(store);
        records = new CommitRecords(store, stored);
        lastAgent = new LastAgentCommits(commits, leases, records, this::record);
        ids = new TransactionIds(clock, records.forgottenThrough());
        inDoubt = new InDoubtBranches(commits);
        stored.prepared().forEach(this::restore);
    }

    private void restore(UUID id, Prepared branch) {
        // Long.MAX_VALUE: conflicts with publications were checked at prepare.
        Intent intent = BranchIntent.of(branch.changes(), branch.since(), Long.MAX_VALUE, this::record);
        commits.restore(id, intent);
        inDoubt.add(id, branch, true, intent);
    }

    private @Nullable TableRecord record(int tableId) {
        return catalog.tables().stream()
                .filter(table -> table.table().id() == tableId)
                .findFirst()
                .orElse(null);
    }

    @Override
    public String id() {
        return catalog.nodeId();
    }

    @Override
    public String address() {
        return "";
    }

    @Override
    public ReadAnswer read(ReadRequest request) {
        // No sync: the log, or the last agent's record, keeps the commit until the node reports it, after a sync.
        request.decided().forEach(each -> inDoubt.end(each, true));
        release(request.released());
        UUID id = request.snapshot();
        Lease lease;
        if (id == null) {
            lease = leases.open(() -> lease(request));
        } else {
            lease = leases.use(id);
            ensureDecided(() -> LeasedReads.spans(request), lease.late());
        }
        try {
            return answer(request, lease);
        } catch (RuntimeException e) {
            if (id == null) {
                // The client never learns of the snapshot.
                leases.release(lease.id());
            }
            throw e;
        }
    }

    private ReadAnswer answer(ReadRequest request, Lease lease) {
        String log = request.log();
        return new ReadAnswer(
                lease.id(),
                opened + "/" + lease.publications(),
                reads.values(lease.view(), request.gets()),
                request.page() == null ? null : reads.page(lease.view(), request.page()),
                log == null ? null : position(log));
    }

    private @Nullable LogPosition position(String log) {
        if (inDoubt.writesPosition(log)) {
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "node " + id() + " does not know yet whether a transaction was committed that changes the position"
                            + " of change log " + log + "; try again");
        }
        byte[] position = new AppliedLogs(store).position(log);
        return position == null ? null : LogPosition.of(log, position);
    }

    /** Takes a snapshot for its first read, unless a late branch writes what that reads. */
    private Lease lease(ReadRequest request) {
        // In this order: a commit in between is visible and causes a false conflict at worst.
        Map<UUID, SpanSet> late = late();
        ensureDecided(() -> LeasedReads.spans(request), late);
        long since = commits.latest();
        long publications = catalog.guard().publications();
        StoreView view = store.view();
        if (publications != catalog.guard().publications()) {
            // The snapshot may lack what a range left behind here that was moved: it is deleted after the move.
            view.close();
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "tables of node " + id() + " have changed in this moment; run all of it again");
        }
        return new Lease(ids.next(), new Lease.Includes(since, publications, late), view);
    }

    private Map<UUID, SpanSet> late() {
        return inDoubt.written(clock.millis() - askAfterMillis);
    }

    /**
     * Refuses to read keys that a late branch writes: its transaction may have been committed long ago, and the client
     * told so.
     */
    private void ensureDecided(Supplier<SpanSet> keys, Map<UUID, SpanSet> late) {
        if (late.isEmpty()) {
            return;
        }
        SpanSet read = keys.get();
        late.forEach((id, written) -> {
            if (written.intersects(read)) {
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "node " + id() + " does not know yet whether transaction " + id
                                + " was committed, which writes these rows; run all of it again, and see `sluice"
                                + " transactions` if this lasts");
            }
        });
    }

    @Override
    public boolean ensureUnchanged(ReadSet reads) {
        Lease lease = leases.use(Wire.required("snapshot", reads.snapshot()));
        SpanSet read = SpanSet.of(reads.read());
        ensureDecided(() -> read, lease.late());
        commits.ensureUnchanged(lease.since(), lease.publications(), read);
        // Publications since the snapshot were found above: an epoch of now is the snapshot's.
        reads.epochs().forEach((table, epoch) -> {
            TableRecord record = record(table);
            if (record == null || record.directory().epoch() != epoch) {
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "node " + id() + " knows "
                                + (record == null
                                        ? "a table"
                                        : "table " + record.table().name())
                                + " in an earlier or later version than others; run all of it again");
            }
        });
        return true;
    }

    @Override
    public void hold(Hold hold) {
        commits.hold(Wire.required("reader", hold.reader()), SpanSet.of(hold.keys()));
    }

    @Override
    public void release(List<UUID> snapshots) {
        snapshots.forEach(leases::release);
    }

    @Override
    public void prepare(UUID transaction, @Nullable LastAgent agent, Changes changes) {
        if (commits.isPrepared(transaction)) {
            // A repeated request: the first may have timed out in the sync.
            commits.syncNow();
            return;
        }
        if (commits.prepared() >= MAX_PREPARED) {
            throw new StatementException(
                    SqlErrorCode.BUSY,
                    "the node has " + MAX_PREPARED
                            + " prepared branches, which wait for decisions of other nodes; try again when those nodes"
                            + " answer");
        }
        if (agent != null && changes.log() != null) {
            throw new BadInputException("log: only the last agent stores log positions; send it in the commit");
        }
        Lease taken = leases.take(changes.snapshot());
        if (taken == null) {
            throw Leases.ended();
        }
        try (taken) {
            Intent intent = BranchIntent.of(changes, taken.since(), taken.publications(), this::record);
            Prepared branch = new Prepared(agent, clock.millis(), taken.since(), changes);
            WriteSet alongside = new WriteSet();
            SharedTransactions.prepared(alongside, transaction, branch);
            // Before the sync: a repeated request must not be answered, and decided, while the branch is not listed.
            inDoubt.add(transaction, branch, false, intent);
            try {
                commits.prepare(transaction, intent, alongside);
            } finally {
                // Also after a failed sync: the branch blocks rows.
                if (commits.isPrepared(transaction)) {
                    inDoubt.add(transaction, branch, false, intent);
                } else {
                    inDoubt.remove(transaction);
                }
            }
        }
    }

    @Override
    public void commit(Changes changes, List<String> others) {
        lastAgent.commit(changes, others);
    }

    @Override
    public void decide(UUID transaction, boolean commit) {
        inDoubt.end(transaction, commit);
        commits.syncNow();
    }

    /**
     * Ends the branches that the log of the cluster has decided, without a sync: the log keeps commits until they are
     * reported.
     *
     * @param applied outcomes by the entries that this node has applied
     * @return the branches that it has not decided; true: its decision should be here by now
     */
    public Map<UUID, Boolean> endDecided(Function<UUID, Outcome> applied) {
        Map<UUID, Boolean> undecided = inDoubt.decidedByLog(clock.millis() - askAfterMillis);
        undecided.keySet().removeIf(id -> {
            Outcome outcome = applied.apply(id);
            if (outcome != Outcome.UNKNOWN) {
                inDoubt.end(id, outcome == Outcome.COMMITTED);
            }
            return outcome != Outcome.UNKNOWN;
        });
        return undecided;
    }

    /**
     * Ends the branches that the log of the cluster has decided, and decides those that are late: it aborts them,
     * unless they are committed. Reports what has ended.
     *
     * @throws OperationFailedException if branches are late, and most members do not answer
     */
    void settle(DecisionLog log) {
        // In this order: a branch of an entry that is applied by now is in the list, or it has ended.
        long seen = log.seen();
        long unreported = log.unreported();
        List<Decision> late = new ArrayList<>();
        endDecided(log::applied).forEach((id, isLate) -> {
            if (isLate) {
                late.add(Decision.abort(id, seen));
            }
        });
        if (unreported > 0) {
            commits.syncNow();
            log.report(unreported);
        }
        if (!late.isEmpty()) {
            log.decide(late).forEach((id, outcome) -> {
                if (outcome != Outcome.UNKNOWN) {
                    decide(id, outcome == Outcome.COMMITTED);
                    LOG.info("transaction {} was {}, says the log of the cluster", id, outcome.text());
                }
            });
        }
    }

    /**
     * Returns the outcome of a transaction for which this node is the last agent. A node with a branch in doubt asks
     * for it. If the transaction is not committed by now, this call aborts it for good.
     */
    public Outcome outcome(UUID transaction) {
        return lastAgent.outcome(transaction);
    }

    @Override
    public void forget(UUID transaction, List<String> nodes) {
        records.forget(transaction, nodes);
    }

    /** Branches whose decision should be here by now, or that were prepared before a restart. */
    Map<LastAgent, List<UUID>> lateByLastAgent() {
        return inDoubt.lateByLastAgent(clock.millis() - askAfterMillis);
    }

    /** Returns all branches in doubt, oldest first, including those whose decision is on its way. */
    public List<InDoubtBranch> inDoubt() {
        Map<Integer, String> names = new HashMap<>();
        catalog.tables()
                .forEach(each -> names.put(each.table().id(), each.table().name()));
        return inDoubt.list(clock.millis(), names);
    }

    /**
     * Ends a branch in doubt by an operator's decision, unless its last agent or the log of the cluster has the
     * opposite outcome. Asking them aborts a transaction that is not committed.
     *
     * @param log null: the node does not run in its cluster
     * @return the outcome that they have, or {@code UNKNOWN} if they gave no answer
     * @throws BadInputException if no such branch is in doubt, or they have the opposite outcome
     */
    public Outcome resolve(UUID transaction, boolean commit, Peers peers, @Nullable DecisionLog log) {
        if (!inDoubt.has(transaction)) {
            throw new BadInputException("no branch of transaction " + transaction + " is in doubt here");
        }
        LastAgent agent = inDoubt.lastAgent(transaction);
        String decider = agent == null ? "the log of the cluster" : agent.toString();
        Outcome outcome = Outcome.UNKNOWN;
        String reason = "it cannot tell";
        try {
            if (agent != null) {
                peers.ensureAskable(agent);
                outcome = peers.outcome(agent, transaction);
            } else if (log != null) {
                outcome = decided(log, transaction);
                if (outcome == Outcome.UNKNOWN) {
                    throw new StatementException(
                            SqlErrorCode.CONFLICT,
                            "this node has not applied all of the log of the cluster yet; try again in some seconds");
                }
            }
        } catch (SluiceException e) {
            reason = String.valueOf(e.getMessage());
        } catch (StatementException e) {
            throw new BadInputException(e.text());
        }
        if (outcome != Outcome.UNKNOWN && commit != (outcome == Outcome.COMMITTED)) {
            throw new BadInputException(
                    "transaction " + transaction + " was " + outcome.text() + ", says " + decider + ": resolve it so");
        }
        decide(transaction, commit);
        if (outcome == Outcome.UNKNOWN) {
            LOG.warn(
                    "transaction {} was {} here by an operator's decision, without {}: {}",
                    transaction,
                    commit ? "committed" : "aborted",
                    decider,
                    reason);
        } else if (commit && agent != null) {
            peers.forget(agent, transaction, id());
        }
        return outcome;
    }

    /** Aborts a transaction unless it is decided. The log does not judge by what a node knew long ago: tries again. */
    private static Outcome decided(DecisionLog log, UUID transaction) {
        Outcome outcome = Outcome.UNKNOWN;
        for (int tries = 1; outcome == Outcome.UNKNOWN && tries <= SEEN.attempts(); tries++) {
            if (tries > 1) {
                Backoff.sleep(SEEN.jitteredMillis(tries), "waiting for the log of the cluster");
            }
            outcome = log.decide(List.of(Decision.abort(transaction, log.seen())))
                    .getOrDefault(transaction, Outcome.UNKNOWN);
        }
        return outcome;
    }

    /** Captures of the keys that commits change, for copies of a table's ranges; see {@link Commits#capture}. */
    public Commits commits() {
        return commits;
    }

    /** Number of branches in doubt. */
    public int inDoubtCount() {
        return inDoubt.size();
    }

    /** Number of open snapshots that remote coordinators read. */
    public int snapshots() {
        return leases.size();
    }

    /** Time in ms that a branch is in doubt before its last agent is asked. */
    long askAfterMillis() {
        return askAfterMillis;
    }

    /** Ends the snapshots that have been idle for too long. */
    void endIdle() {
        leases.endIdle();
    }

    /** Ends all snapshots of remote coordinators; prepared branches stay prepared. */
    public void close() {
        leases.endAll();
    }
}
