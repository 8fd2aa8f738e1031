package io.sluice.sql.distributed;

import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.RowBatch;
import io.sluice.engine.store.WriteSet;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.node.catalog.SharedTransactions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Commit records of transactions for which this node was the last agent. Each record is written in one batch with the
 * changes it commits. Thread-safe.
 *
 * <p>Retention:
 *
 * <ul>
 *   <li>An <i>open</i> record stays until every other node with a branch has confirmed that its branch has ended. If
 *       there are too many open records, further distributed commits are refused.
 *   <li>A <i>closed</i> record answers commits that are repeated because their answer was lost. The latest
 *       {@value #KEPT} are kept.
 *   <li>Transaction ids begin with their creation time. For a transaction newer than all dropped records, a missing
 *       record proves that it was not committed. For older ones it proves nothing.
 * </ul>
 */
final class CommitRecords {
    /** Open records accumulate only if both a coordinator and a participant are down; this many need an operator. */
    private static final int MAX_OPEN = 65_536;
    /** One minute of records at 1,000 commits per second; some 8 MiB of memory. */
    static final int KEPT = 65_536;
    /** Closed records dropped in one write. */
    private static final int DROPPED_AT_ONCE = 1_024;

    private final RocksStore store;
    private final Map<UUID, Set<String>> open = new HashMap<>();
    /** Closed records, oldest first. */
    private final Set<UUID> closed = new LinkedHashSet<>();

    private long forgottenThrough;

    CommitRecords(RocksStore store, SharedTransactions stored) {
        this.store = store;
        forgottenThrough = stored.forgottenThrough();
        List<UUID> answered = new ArrayList<>();
        stored.committed().forEach((id, nodes) -> {
            if (nodes.isEmpty()) {
                answered.add(id);
            } else {
                open.put(id, new HashSet<>(nodes));
            }
        });
        answered.stream().sorted().forEach(closed::add);
    }

    /**
     * Adds the record of a transaction to the write that commits it.
     *
     * @param others ids of the other nodes that have branches
     * @throws StatementException if there are too many open records
     */
    synchronized void add(WriteSet alongside, UUID transaction, List<String> others) {
        if (!others.isEmpty() && open.size() >= MAX_OPEN) {
            throw new StatementException(
                    SqlErrorCode.BUSY,
                    "the node keeps " + MAX_OPEN + " commit records that other nodes have not acknowledged: start"
                            + " those nodes, they then ask by themselves");
        }
        SharedTransactions.committed(alongside, transaction, others);
    }

    /** Registers a record after its write is durable. */
    synchronized void added(UUID transaction, List<String> others) {
        if (others.isEmpty()) {
            close(transaction);
        } else {
            open.put(transaction, new HashSet<>(others));
        }
    }

    private void close(UUID transaction) {
        closed.add(transaction);
        if (closed.size() < KEPT + DROPPED_AT_ONCE) {
            return;
        }
        List<UUID> dropped = closed.stream().limit(DROPPED_AT_ONCE).toList();
        for (UUID each : dropped) {
            closed.remove(each);
            forgottenThrough = Math.max(forgottenThrough, TransactionIds.millis(each));
        }
        WriteSet writes = new WriteSet();
        SharedTransactions.forgotten(writes, dropped, forgottenThrough);
        // Not synced: a crash may restore dropped records, which is harmless.
        store.write(new RowBatch(), writes);
    }

    synchronized boolean committed(UUID transaction) {
        return open.containsKey(transaction) || closed.contains(transaction);
    }

    /** Whether a transaction is so old that a missing record does not prove it was not committed. */
    synchronized boolean forgotten(UUID transaction) {
        return TransactionIds.millis(transaction) <= forgottenThrough;
    }

    /** Creation time of the newest transaction whose record was dropped; see {@link #forgotten}. */
    synchronized long forgottenThrough() {
        return forgottenThrough;
    }

    /**
     * Records that nodes have ended their branches durably. Not synced: if a crash loses this, the nodes confirm again.
     */
    synchronized void forget(UUID transaction, Collection<String> nodes) {
        Set<String> rest = open.get(transaction);
        if (rest == null) {
            return;
        }
        rest.removeAll(nodes);
        WriteSet writes = new WriteSet();
        SharedTransactions.committed(writes, transaction, List.copyOf(rest));
        store.write(new RowBatch(), writes);
        if (rest.isEmpty()) {
            open.remove(transaction);
            close(transaction);
        }
    }
}
