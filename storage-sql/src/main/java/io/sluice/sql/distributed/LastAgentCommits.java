package io.sluice.sql.distributed;

import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Outcome;
import io.sluice.engine.store.WriteSet;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.AmbiguousCommitException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.thread.Interrupts;
import io.sluice.node.catalog.AppliedLogs;
import io.sluice.node.catalog.TableRecord;
import io.sluice.sql.distributed.Leases.Lease;
import io.sluice.sql.transaction.Commits;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Commits the transactions for which this node is the last agent. Thread-safe.
 *
 * <pre>
 *                 commit                 written
 *   UNDECIDED  ----------->  COMMITTING  --------->  COMMITTED, by a {@link CommitRecords record}
 *       ^                       |    |
 *       +------- refused -------+    +-- failed -->  AMBIGUOUS, until the store is opened again
 * </pre>
 *
 * <p>An undecided transaction can be committed only while it has a snapshot here. A commit takes the snapshot; so does
 * a node that asks for the outcome, which aborts the transaction.
 */
final class LastAgentCommits {
    /** At this many ambiguous commits the node refuses commits until the store is opened again. */
    private static final int MAX_AMBIGUOUS = 1024;

    private final Commits commits;
    private final Leases leases;
    private final CommitRecords records;
    private final IntFunction<@Nullable TableRecord> tables;
    /** Transactions in COMMITTING or AMBIGUOUS. Guarded by this. */
    private final Map<UUID, State> unsettled = new HashMap<>();

    private enum State {
        UNDECIDED,
        COMMITTING,
        COMMITTED,
        /**
         * The write failed. Only recovery of the log, at the next opening of the store, shows whether it is on disk.
         */
        AMBIGUOUS
    }

    /** @param tables returns the record of a table id, or null if there is no such table */
    LastAgentCommits(Commits commits, Leases leases, CommitRecords records, IntFunction<@Nullable TableRecord> tables) {
        this.commits = commits;
        this.leases = leases;
        this.records = records;
        this.tables = tables;
    }

    /** Moves a transaction to another state. COMMITTED needs its commit record, which is added before. */
    private synchronized void become(UUID transaction, State next) {
        if (next == State.COMMITTING || next == State.AMBIGUOUS) {
            unsettled.put(transaction, next);
        } else {
            unsettled.remove(transaction);
        }
        notifyAll();
    }

    /** Returns a transaction's state, after its commit in progress has ended. The caller holds the monitor. */
    private State settled(UUID transaction) {
        // A commit takes milliseconds, and there is no correct answer before it ends.
        Interrupts.outlast(() -> {
            while (unsettled.get(transaction) == State.COMMITTING) {
                wait();
            }
        });
        if (unsettled.containsKey(transaction)) {
            return State.AMBIGUOUS;
        }
        return records.committed(transaction) ? State.COMMITTED : State.UNDECIDED;
    }

    /** See {@link TransactionParticipant#commit}. */
    void commit(Changes changes, List<String> others) {
        UUID transaction = changes.snapshot();
        Lease lease;
        synchronized (this) {
            State state = settled(transaction);
            if (state == State.COMMITTED) {
                return;
            }
            if (state == State.AMBIGUOUS) {
                throw ambiguous(transaction, null);
            }
            lease = leases.take(transaction);
            if (lease == null && records.forgotten(transaction)) {
                throw new AmbiguousCommitException("transaction " + transaction
                        + " is older than the commit records that this node keeps; check its rows");
            }
            if (lease == null) {
                throw Leases.ended();
            }
            become(transaction, State.COMMITTING);
        }
        State next = State.UNDECIDED;
        try (lease) {
            write(transaction, lease, changes, others);
            next = State.COMMITTED;
        } catch (AmbiguousCommitException e) {
            next = State.AMBIGUOUS;
            throw e;
        } finally {
            become(transaction, next);
        }
    }

    private void write(UUID transaction, Lease lease, Changes changes, List<String> others) {
        ensureCommitting();
        WriteSet alongside = new WriteSet();
        LogPosition log = changes.log();
        if (log != null) {
            AppliedLogs.record(alongside, log);
        }
        records.add(alongside, transaction, others);
        try {
            commits.commit(BranchIntent.of(changes, lease.since(), lease.publications(), tables), alongside)
                    .await();
        } catch (StatementException | BadInputException e) {
            // The commit was refused: nothing was written.
            throw e;
        } catch (RuntimeException e) {
            throw ambiguous(transaction, e);
        }
        records.added(transaction, others);
    }

    private synchronized void ensureCommitting() {
        long ambiguous = unsettled.values().stream()
                .filter(state -> state == State.AMBIGUOUS)
                .count();
        if (ambiguous >= MAX_AMBIGUOUS) {
            throw new StatementException(
                    SqlErrorCode.FAILED,
                    "the node refuses commits: too many writes have failed; check its disk, then restart it");
        }
    }

    private static AmbiguousCommitException ambiguous(UUID transaction, @Nullable RuntimeException cause) {
        String message = "writing transaction " + transaction
                + " failed: it may be on disk or not; restart the node, then check the rows; see its log";
        return cause == null
                ? new AmbiguousCommitException(message)
                : new AmbiguousCommitException(message + ": " + cause.getMessage(), cause);
    }

    /** See {@link TransactionParticipant#outcome}. */
    Outcome outcome(UUID transaction) {
        synchronized (this) {
            State state = settled(transaction);
            if (state == State.AMBIGUOUS) {
                return Outcome.UNKNOWN;
            }
            if (state == State.UNDECIDED) {
                // A missing record proves the abort: it is kept until all nodes have ended their branches.
                leases.release(transaction);
                return Outcome.ABORTED;
            }
        }
        // A commit that was recovered from the log may not be synced yet.
        commits.syncNow();
        return Outcome.COMMITTED;
    }
}
