package io.sluice.sql.distributed;

import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.InDoubtBranch;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.StoreView;
import io.sluice.engine.store.WriteSet;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.AmbiguousCommitException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.SluiceException;
import io.sluice.node.catalog.AppliedLogs;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.SharedTransactions;
import io.sluice.node.catalog.SharedTransactions.Prepared;
import io.sluice.node.catalog.TableRecord;
import io.sluice.sql.transaction.Commits;
import io.sluice.sql.transaction.StoreTables;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds this node's branches of transactions that other processes coordinate. Thread-safe. A transaction with a branch
 * here is in one of these states:
 *
 * <pre>
 *              prepare               decide, the last agent's answer, or an operator's decision
 *   SNAPSHOT ----------> PREPARED ----------------------------------------------------------> ended
 *      |
 *      |  commit         +----------> ended; COMMITTED, by a {@link CommitRecords record}
 *      +---------------->+----------> ended: refused
 *      |                 +----------> AMBIGUOUS, until the store is opened again
 *      +--- idle, released, or a node asked for the outcome: ended, never committed
 * </pre>
 *
 * <p>This node generates the ids of its snapshots and never reuses one. A transaction's id is the id of its snapshot on
 * the last agent. If a node with a prepared branch asks for the outcome, the last agent ends that snapshot. Without it,
 * and without a commit record, the transaction can never be committed. So no record of aborted transactions is needed
 * (presumed abort).
 */
public final class TransactionParticipant implements Participant {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionParticipant.class);
    /** Limit of prepared branches, in addition to the limits of commits. */
    private static final int MAX_PREPARED = 1024;
    /** At this many ambiguous commits the node refuses commits until the store is opened again. */
    private static final int MAX_AMBIGUOUS = 1024;

    private final RocksStore store;
    private final Catalog catalog;
    private final Commits commits;
    private final Clock clock;
    private final Leases leases;
    private final LeasedReads reads;
    private final CommitRecords records;
    private final TransactionIds ids;
    /** Identifies this opening of the store; publications are counted from it. */
    private final String opened = UUID.randomUUID().toString();
    /** Branches that are prepared, but whose outcome is not known here. */
    private final Map<UUID, InDoubt> inDoubt = new ConcurrentHashMap<>();

    private final Object committing = new Object();
    /** Transactions with a commit in progress. Guarded by {@code committing}. */
    private final Set<UUID> beingCommitted = new HashSet<>();
    /**
     * Transactions whose commit failed during the write. Only recovery of the log, at the next opening of the store,
     * shows whether it is on disk. Guarded by {@code committing}.
     */
    private final Set<UUID> ambiguous = new HashSet<>();

    /**
     * A branch in doubt.
     *
     * @param restored whether it was prepared before the store was opened
     */
    private record InDoubt(LastAgent lastAgent, long sinceMillis, boolean restored, Set<Integer> tables) {
        static InDoubt of(Prepared branch, boolean restored) {
            Set<Integer> tables = new TreeSet<>();
            branch.changes().changes().forEach(each -> tables.add(each.table()));
            return new InDoubt(branch.lastAgent(), branch.preparedAtMillis(), restored, tables);
        }
    }

    /**
     * Participates with one store; restores the branches that were prepared when it was closed.
     *
     * @param tables tables of the store; distributed and local transactions share its conflict checks
     * @param idleMillis time after which an unused snapshot ends
     */
    public TransactionParticipant(StoreTables tables, SharedSettings settings, long idleMillis, Clock clock) {
        store = tables.store();
        catalog = tables.catalog();
        commits = tables.commits();
        this.clock = clock;
        leases = new Leases(settings.snapshots(), idleMillis, clock);
        reads = new LeasedReads(store, this::record);
        SharedTransactions stored = new SharedTransactions(store);
        records = new CommitRecords(store, stored);
        ids = new TransactionIds(clock, records.forgottenThrough());
        stored.prepared().forEach(this::restore);
    }

    private void restore(UUID id, Prepared branch) {
        // Long.MAX_VALUE: conflicts with publications were checked at prepare.
        commits.restore(id, BranchIntent.of(branch.changes(), branch.since(), Long.MAX_VALUE, this::record));
        inDoubt.put(id, InDoubt.of(branch, true));
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
        // No sync: the last agent keeps its commit record until a decide request, which syncs, is acknowledged.
        request.decided().forEach(this::applyDecision);
        release(request.released());
        UUID id = request.snapshot();
        Lease lease = id == null ? leases.open(this::lease) : leases.use(id);
        String log = request.log();
        return new ReadAnswer(
                lease.id(),
                opened + "/" + lease.publications(),
                reads.values(lease.view(), request.gets()),
                request.page() == null ? null : reads.page(lease.view(), request.page()),
                log == null ? null : position(log));
    }

    private @Nullable LogPosition position(String log) {
        byte[] position = new AppliedLogs(store).position(log);
        return position == null ? null : new LogPosition(log, position);
    }

    private Lease lease(long nowMillis) {
        // In this order: a commit in between is visible and causes a false conflict at worst.
        long since = commits.latest();
        long publications = catalog.publications();
        StoreView view = store.view();
        return new Lease(ids.next(), since, publications, view, nowMillis);
    }

    @Override
    public void release(List<UUID> snapshots) {
        snapshots.forEach(leases::release);
    }

    @Override
    public void prepare(UUID transaction, LastAgent lastAgent, Changes changes) {
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
        if (changes.log() != null) {
            throw new BadInputException("log: only the last agent stores log positions; send it in the commit");
        }
        try (Ending lease = take(changes.snapshot())) {
            BranchIntent intent =
                    BranchIntent.of(changes, lease.of().since(), lease.of().publications(), this::record);
            Prepared branch = new Prepared(lastAgent, clock.millis(), lease.of().since(), changes);
            WriteSet alongside = new WriteSet();
            SharedTransactions.prepared(alongside, transaction, branch);
            try {
                commits.prepare(transaction, intent, alongside);
            } finally {
                // Also after a failed sync: the branch blocks rows.
                if (commits.isPrepared(transaction)) {
                    inDoubt.put(transaction, InDoubt.of(branch, false));
                }
            }
        }
    }

    /** Ends a lease after its last use. */
    private record Ending(Lease of) implements AutoCloseable {
        @Override
        public void close() {
            of.end();
        }
    }

    private Ending take(UUID snapshot) {
        Lease lease = leases.take(snapshot);
        if (lease == null) {
            throw Leases.ended();
        }
        return new Ending(lease);
    }

    @Override
    public void commit(Changes changes, List<String> others) {
        UUID transaction = changes.snapshot();
        Lease lease;
        synchronized (committing) {
            awaitCommit(transaction);
            if (ambiguous.contains(transaction)) {
                throw ambiguous(transaction, null);
            }
            if (records.committed(transaction)) {
                return;
            }
            lease = leases.take(transaction);
            if (lease == null && records.forgotten(transaction)) {
                throw new AmbiguousCommitException("transaction " + transaction
                        + " is older than the commit records that this node keeps; check its rows");
            }
            if (lease == null) {
                throw Leases.ended();
            }
            beingCommitted.add(transaction);
        }
        try (Ending ending = new Ending(lease)) {
            write(transaction, ending.of(), changes, others);
        } finally {
            synchronized (committing) {
                beingCommitted.remove(transaction);
                committing.notifyAll();
            }
        }
    }

    private void write(UUID transaction, Lease lease, Changes changes, List<String> others) {
        ensureCommitting();
        WriteSet alongside = new WriteSet();
        LogPosition log = changes.log();
        if (log != null) {
            AppliedLogs.record(alongside, new AppliedLogs.Mark(log.log(), log.position()));
        }
        records.add(alongside, transaction, others);
        try {
            commits.commit(BranchIntent.of(changes, lease.since(), lease.publications(), this::record), alongside)
                    .await();
        } catch (StatementException | BadInputException e) {
            // The commit was refused: nothing was written.
            throw e;
        } catch (RuntimeException e) {
            synchronized (committing) {
                ambiguous.add(transaction);
            }
            throw ambiguous(transaction, e);
        }
        records.added(transaction, others);
    }

    private void ensureCommitting() {
        synchronized (committing) {
            if (ambiguous.size() >= MAX_AMBIGUOUS) {
                throw new StatementException(
                        SqlErrorCode.FAILED,
                        "the node refuses commits: too many writes have failed; check its disk, then restart it");
            }
        }
    }

    private static AmbiguousCommitException ambiguous(UUID transaction, @Nullable RuntimeException cause) {
        String message = "writing transaction " + transaction
                + " failed: it may be on disk or not; restart the node, then check the rows; see its log";
        return cause == null
                ? new AmbiguousCommitException(message)
                : new AmbiguousCommitException(message + ": " + cause.getMessage(), cause);
    }

    /** Waits for a commit in progress. The caller holds the monitor of {@code committing}. */
    private void awaitCommit(UUID transaction) {
        boolean interrupted = false;
        while (beingCommitted.contains(transaction)) {
            try {
                committing.wait();
            } catch (InterruptedException e) {
                // Keep waiting: a commit takes milliseconds, and there is no correct answer before it ends.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void applyDecision(UUID transaction) {
        commits.end(transaction, true, ended(transaction));
        inDoubt.remove(transaction);
    }

    @Override
    public void decide(UUID transaction, boolean commit) {
        commits.finish(transaction, commit, ended(transaction));
        inDoubt.remove(transaction);
    }

    private static WriteSet ended(UUID transaction) {
        WriteSet alongside = new WriteSet();
        SharedTransactions.ended(alongside, transaction);
        return alongside;
    }

    /**
     * Returns the outcome of a transaction for which this node is the last agent. A node with a branch in doubt asks
     * for it. If the transaction is not committed by now, this call aborts it for good.
     */
    public Outcome outcome(UUID transaction) {
        synchronized (committing) {
            awaitCommit(transaction);
            if (ambiguous.contains(transaction)) {
                return Outcome.UNKNOWN;
            }
            Lease lease = leases.take(transaction);
            if (lease != null) {
                lease.end();
                return Outcome.ABORTED;
            }
            if (!records.committed(transaction)) {
                // A missing record proves the abort: it is kept until all nodes have ended their branches.
                return Outcome.ABORTED;
            }
        }
        // A commit that was recovered from the log may not be synced yet.
        commits.syncNow();
        return Outcome.COMMITTED;
    }

    @Override
    public void forget(UUID transaction, List<String> nodes) {
        records.forget(transaction, nodes);
    }

    /** Returns the branches that have been in doubt for at least some time, or since a restart, by last agent. */
    Map<LastAgent, List<UUID>> inDoubtFor(long millis) {
        long before = clock.millis() - millis;
        Map<LastAgent, List<UUID>> late = new LinkedHashMap<>();
        inDoubt.forEach((id, branch) -> {
            if (branch.restored() || branch.sinceMillis() <= before) {
                late.computeIfAbsent(branch.lastAgent(), none -> new ArrayList<>())
                        .add(id);
            }
        });
        return late;
    }

    /** Returns all branches in doubt, oldest first, including those whose decision is on its way. */
    public List<InDoubtBranch> inDoubt() {
        long now = clock.millis();
        Map<Integer, String> names = new HashMap<>();
        catalog.tables()
                .forEach(each -> names.put(each.table().id(), each.table().name()));
        return inDoubt.entrySet().stream()
                .map(each -> new InDoubtBranch(
                        each.getKey(),
                        each.getValue().lastAgent(),
                        Math.max(0, now - each.getValue().sinceMillis()),
                        each.getValue().tables().stream()
                                .map(id -> names.getOrDefault(id, "id " + id))
                                .toList()))
                .sorted(Comparator.comparingLong(InDoubtBranch::ageMillis).reversed())
                .toList();
    }

    /**
     * Ends a branch in doubt by an operator's decision, unless its last agent answers with the opposite outcome.
     *
     * @return the last agent's answer, or {@code UNKNOWN} if it gave none
     * @throws BadInputException if no such branch is in doubt, or the last agent answers with the opposite outcome
     */
    public Outcome resolve(UUID transaction, boolean commit, Peers peers) {
        InDoubt branch = inDoubt.get(transaction);
        if (branch == null) {
            throw new BadInputException("no branch of transaction " + transaction + " is in doubt here");
        }
        Outcome outcome = Outcome.UNKNOWN;
        String reason = "it cannot tell";
        try {
            peers.ensureAskable(branch.lastAgent());
            outcome = peers.outcome(branch.lastAgent(), transaction);
        } catch (SluiceException e) {
            reason = String.valueOf(e.getMessage());
        } catch (StatementException e) {
            throw new BadInputException(e.text());
        }
        if (outcome != Outcome.UNKNOWN && commit != (outcome == Outcome.COMMITTED)) {
            throw new BadInputException("transaction " + transaction + " was " + outcome.text() + ", says "
                    + branch.lastAgent() + ": resolve it so");
        }
        decide(transaction, commit);
        if (outcome == Outcome.UNKNOWN) {
            LOG.warn(
                    "transaction {} was {} here by an operator's decision, without {}: {}",
                    transaction,
                    commit ? "committed" : "aborted",
                    branch.lastAgent(),
                    reason);
        } else if (commit) {
            peers.forget(branch.lastAgent(), transaction, id());
        }
        return outcome;
    }

    /** Number of branches in doubt. */
    public int inDoubtCount() {
        return inDoubt.size();
    }

    /** Number of open snapshots that remote coordinators read. */
    public int snapshots() {
        return leases.size();
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
