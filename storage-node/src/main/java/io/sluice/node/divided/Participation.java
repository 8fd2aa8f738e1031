package io.sluice.node.divided;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.node.catalog.AppliedLogs;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.SharedTransactions;
import io.sluice.node.catalog.SharedTransactions.Waiting;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.StoreView;
import io.sluice.node.store.WriteSet;
import io.sluice.node.transaction.Commits;
import io.sluice.node.transaction.StoreTables;
import java.time.Clock;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * This node's side of transactions that others coordinate. A transaction that has a part here is, at any time, one of
 *
 * <pre>
 *              prepare               decide, or the decider's answer
 *   SNAPSHOT ----------> PREPARED ----------------------------------> ended
 *      |
 *      |  commit         +----------> ended, and DECIDED until no other node can ask
 *      +---------------->|
 *      |                 +----------> ended: refused
 *      +--- idle, released, or somebody asked for the outcome: ended, and never committed
 * </pre>
 *
 * A snapshot has an id that is made here and never comes back; a transaction's is that of its snapshot on the node that
 * decides. So when that snapshot is gone and no decision is kept, the transaction cannot be committed any more: no
 * record of aborted transactions is needed. Usable by several threads.
 */
public final class Participation implements Participant {
    /** Besides what commits themselves are bounded by. */
    private static final int MOST_PREPARED = 1024;
    /** Ids of transactions that were committed, for those who have not heard the answer. */
    private static final int REMEMBERED = 4096;

    private final RocksStore store;
    private final Catalog catalog;
    private final Commits commits;
    private final Clock clock;
    private final Leases leases;
    private final LeasedReads reads;
    private final Decisions decisions;
    /** Publications are counted from when the store was opened. */
    private final String opened = UUID.randomUUID().toString();
    /** Of those that are prepared: where their deciders are found, and since when they wait. */
    private final Map<UUID, Asked> waiting = new ConcurrentHashMap<>();

    /**
     * Transactions whose write failed, so that only the log tells whether it is there: until the store is opened again.
     */
    private final Set<UUID> doubtful = ConcurrentHashMap.newKeySet();

    private final Object committing = new Object();
    /** Transactions being committed just now: guarded by that. */
    private final Set<UUID> underWay = new HashSet<>();

    private final Map<UUID, Boolean> committed = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    };

    /**
     * Whom to ask, and since when somebody waits.
     *
     * @param sinceMillis 0 when it waits since before the store was opened
     */
    record Asked(String decider, long sinceMillis) {}

    /**
     * In one store; goes on with what was prepared when it was closed.
     *
     * @param tables those of the store, whose commits these transactions are held against
     * @param idleMillis after which a snapshot that nobody reads ends
     */
    public Participation(StoreTables tables, SharedSettings settings, long idleMillis, Clock clock) {
        store = tables.store();
        catalog = tables.catalog();
        commits = tables.commits();
        this.clock = clock;
        leases = new Leases(settings.snapshots(), idleMillis, clock);
        reads = new LeasedReads(store, this::record);
        SharedTransactions stored = new SharedTransactions(store);
        decisions = new Decisions(store, stored);
        stored.waiting().forEach(this::restore);
    }

    private void restore(UUID id, Waiting part) {
        // What has to be held against publications was, when it was prepared.
        commits.restore(id, PartIntent.of(part.changes(), part.since(), Long.MAX_VALUE, this::record));
        waiting.put(id, new Asked(part.decider(), 0));
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
        // Readers need not wait for the disk: until the decision is told as such, the decider remembers it.
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
        return new Lease(since, publications, view, nowMillis);
    }

    @Override
    public void release(List<UUID> snapshots) {
        snapshots.forEach(leases::release);
    }

    @Override
    public void prepare(UUID transaction, String decider, Changes changes) {
        if (commits.isPrepared(transaction)) {
            // Whoever asked first may not have had an answer because the disk is slow.
            commits.syncNow();
            return;
        }
        if (commits.prepared() >= MOST_PREPARED) {
            throw new StatementException(
                    SqlErrorCode.BUSY,
                    "the node has " + MOST_PREPARED
                            + " transactions that wait for other nodes' decisions; try again when"
                            + " those nodes answer");
        }
        if (changes.log() != null) {
            throw new BadInputException("log: is kept by the node that decides");
        }
        try (Ending lease = take(changes.snapshot())) {
            PartIntent intent =
                    PartIntent.of(changes, lease.of().since(), lease.of().publications(), this::record);
            WriteSet alongside = new WriteSet();
            SharedTransactions.waits(
                    alongside, transaction, new Waiting(decider, lease.of().since(), changes));
            commits.prepare(transaction, intent, alongside);
            waiting.put(transaction, new Asked(decider, clock.millis()));
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
            if (committed.containsKey(transaction) || decisions.committed(transaction)) {
                return;
            }
            lease = take(transaction).of();
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
        WriteSet alongside = new WriteSet();
        LogPosition log = changes.log();
        if (log != null) {
            AppliedLogs.record(alongside, new AppliedLogs.Mark(log.log(), log.position()));
        }
        if (!others.isEmpty()) {
            decisions.add(alongside, transaction, others);
        }
        try {
            commits.commit(PartIntent.of(changes, lease.since(), lease.publications(), this::record), alongside)
                    .await();
        } catch (OperationFailedException e) {
            doubtful.add(transaction);
            throw e;
        }
        if (!others.isEmpty()) {
            decisions.added(transaction, others);
        }
        synchronized (committing) {
            committed.put(transaction, true);
        }
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
        waiting.remove(transaction);
    }

    @Override
    public void decide(UUID transaction, boolean commit) {
        commits.finish(transaction, commit, ended(transaction));
        waiting.remove(transaction);
    }

    private static WriteSet ended(UUID transaction) {
        WriteSet alongside = new WriteSet();
        SharedTransactions.ended(alongside, transaction);
        return alongside;
    }

    @Override
    public boolean outcome(UUID transaction) {
        synchronized (committing) {
            awaitCommitted(transaction);
            if (doubtful.contains(transaction)) {
                throw new OperationFailedException("writing transaction " + transaction
                        + " failed, and whether it is on disk shows when the node is started again; see its log");
            }
            Lease lease = leases.take(transaction);
            if (lease != null) {
                lease.end();
                return false;
            }
            if (!committed.containsKey(transaction) && !decisions.committed(transaction)) {
                return false;
            }
        }
        // It may be that its own sync failed.
        commits.syncNow();
        return true;
    }

    @Override
    public void forget(UUID transaction, List<String> nodes) {
        decisions.forget(transaction, nodes);
    }

    /** The parts that have waited for longer than some time, with whom to ask. */
    Map<UUID, Asked> waitingFor(long millis) {
        long before = clock.millis() - millis;
        Map<UUID, Asked> late = new LinkedHashMap<>();
        waiting.forEach((id, asked) -> {
            if (asked.sinceMillis() <= before) {
                late.put(id, asked);
            }
        });
        return late;
    }

    /** How many parts wait for a decision. */
    public int waiting() {
        return waiting.size();
    }

    /** How many snapshots others read. */
    public int snapshots() {
        return leases.size();
    }

    /** Ends the snapshots that nobody has read for too long. */
    void endIdle() {
        leases.endIdle();
    }

    /** Ends all snapshots that others read; what is prepared stays so. */
    public void close() {
        leases.endAll();
    }
}
