package io.sluice.node.distributed;

import io.sluice.api.error.AmbiguousCommitException;
import io.sluice.api.error.BadInputException;
import io.sluice.api.error.SluiceException;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.InDoubtBranch;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.node.catalog.AppliedLogs;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.SharedTransactions;
import io.sluice.node.catalog.SharedTransactions.Prepared;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.StoreView;
import io.sluice.node.store.WriteSet;
import io.sluice.node.transaction.Commits;
import io.sluice.node.transaction.StoreTables;
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
 * This node's side of transactions that others coordinate. A transaction that has a branch here is, at any time, one of
 *
 * <pre>
 *              prepare               decide, the last agent's answer, or an operator's decision
 *   SNAPSHOT ----------> PREPARED ----------------------------------------------------------> ended
 *      |
 *      |  commit         +----------> ended; COMMITTED, by a {@link CommitRecords record}
 *      +---------------->+----------> ended: refused
 *      |                 +----------> AMBIGUOUS, until the store is opened again
 *      +--- idle, released, or a node asked for the outcome: ended, and never committed
 * </pre>
 *
 * A snapshot has an id that is made here and never comes back; a transaction's is that of its snapshot on the last
 * agent. So when that snapshot is gone and a node that has a branch asks, and there is no record of a commit, the
 * transaction cannot be committed any more: no record of aborted transactions is needed. Usable by several threads.
 */
public final class TransactionParticipant implements Participant {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionParticipant.class);
    /** Besides what commits themselves are bounded by. */
    private static final int MOST_PREPARED = 1024;
    /** Beyond, nothing is committed before the store is opened again. */
    private static final int MOST_AMBIGUOUS = 1024;

    private final RocksStore store;
    private final Catalog catalog;
    private final Commits commits;
    private final Clock clock;
    private final Leases leases;
    private final LeasedReads reads;
    private final CommitRecords records;
    private final TransactionIds ids;
    /** Publications are counted from when the store was opened. */
    private final String opened = UUID.randomUUID().toString();
    /** Branches that are prepared and not decided. */
    private final Map<UUID, InDoubt> inDoubt = new ConcurrentHashMap<>();

    private final Object committing = new Object();
    /** Transactions being committed just now: guarded by that. */
    private final Set<UUID> underWay = new HashSet<>();
    /**
     * Transactions whose commit failed half-way, so that only the log tells whether it is on disk, when the store is
     * opened again: guarded by that.
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
     * In one store; goes on with what was prepared when it was closed.
     *
     * @param tables those of the store, whose commits these transactions are held against
     * @param idleMillis after which a snapshot that no request reads ends
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
        // What has to be held against publications was, when it was prepared.
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
        // Readers need not wait for the disk: until the decision is told as such, the last agent keeps its record.
        request.decided().forEach(this::hear);
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
        // In this order: what comes in between is then seen, and taken for a conflict at worst.
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
            // The first request may have had no answer because the disk is slow.
            commits.syncNow();
            return;
        }
        if (commits.prepared() >= MOST_PREPARED) {
            throw new StatementException(
                    SqlErrorCode.BUSY,
                    "the node has " + MOST_PREPARED
                            + " prepared branches, which wait for other nodes' decisions; try again when those nodes"
                            + " answer");
        }
        if (changes.log() != null) {
            throw new BadInputException("log: is kept by the last agent");
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
                // Also when its sync failed: it holds rows.
                if (commits.isPrepared(transaction)) {
                    inDoubt.put(transaction, InDoubt.of(branch, false));
                }
            }
        }
    }

    /** A snapshot that is being used for the last time. */
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
            awaitCommitted(transaction);
            if (ambiguous.contains(transaction)) {
                throw ambiguous(transaction, null);
            }
            if (records.committed(transaction)) {
                return;
            }
            lease = leases.take(transaction);
            if (lease == null && records.forgotten(transaction)) {
                throw new AmbiguousCommitException("transaction " + transaction
                        + " is older than the records of commits that this node keeps; look at its rows");
            }
            if (lease == null) {
                throw Leases.ended();
            }
            underWay.add(transaction);
        }
        try (Ending ending = new Ending(lease)) {
            write(transaction, ending.of(), changes, others);
        } finally {
            synchronized (committing) {
                underWay.remove(transaction);
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
            // Refused: nothing was written.
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
            if (ambiguous.size() >= MOST_AMBIGUOUS) {
                throw new StatementException(
                        SqlErrorCode.FAILED,
                        "the node commits nothing: too many writes have failed; see to its disk, then restart it");
            }
        }
    }

    private static AmbiguousCommitException ambiguous(UUID transaction, @Nullable RuntimeException cause) {
        String message = "writing transaction " + transaction
                + " failed, and whether it is on disk shows when the node is started again; see its log";
        return cause == null
                ? new AmbiguousCommitException(message)
                : new AmbiguousCommitException(message + ": " + cause.getMessage(), cause);
    }

    /** The monitor is held. */
    private void awaitCommitted(UUID transaction) {
        boolean interrupted = false;
        while (underWay.contains(transaction)) {
            try {
                committing.wait();
            } catch (InterruptedException e) {
                // It takes milliseconds, and no answer would be a wrong one.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void hear(UUID transaction) {
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
     * Says what became of a transaction whose last agent this node is, to a node that has a branch in doubt. One that
     * is not committed by now never will be.
     */
    public Outcome outcome(UUID transaction) {
        synchronized (committing) {
            awaitCommitted(transaction);
            if (ambiguous.contains(transaction)) {
                return Outcome.UNKNOWN;
            }
            Lease lease = leases.take(transaction);
            if (lease != null) {
                lease.end();
                return Outcome.ABORTED;
            }
            if (!records.committed(transaction)) {
                // No record of a commit is dropped before all nodes with branches have said that those are ended.
                return Outcome.ABORTED;
            }
        }
        // What was recovered from the log may not be on disk again yet.
        commits.syncNow();
        return Outcome.COMMITTED;
    }

    @Override
    public void forget(UUID transaction, List<String> nodes) {
        records.forget(transaction, nodes);
    }

    /** The branches that have been in doubt for longer than some time, by whom to ask. */
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

    /** The branches that are in doubt just now, also those whose decision is only on its way. */
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
     * Ends a branch in doubt as an operator decides, unless its last agent can be asked and says otherwise.
     *
     * @return what the last agent says
     * @throws BadInputException when no such branch is in doubt, or the last agent says otherwise
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

    /** How many branches are in doubt. */
    public int waiting() {
        return inDoubt.size();
    }

    /** How many snapshots others read. */
    public int snapshots() {
        return leases.size();
    }

    /** Ends the snapshots that no request has read for too long. */
    void endIdle() {
        leases.endIdle();
    }

    /** Ends all snapshots that others read; what is prepared stays so. */
    public void close() {
        leases.endAll();
    }
}
