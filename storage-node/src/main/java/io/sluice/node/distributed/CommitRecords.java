package io.sluice.node.distributed;

import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import io.sluice.node.catalog.SharedTransactions;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.RowBatch;
import io.sluice.node.store.WriteSet;
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
 * Records of the transactions that this node's own commits have committed, each written in one batch with what it
 * commits. Usable by several threads.
 *
 * <p>What is kept, and for how long:
 *
 * <ul>
 *   <li>A record of which other nodes have branches stays until each has said that its branch is ended. Too many of
 *       those, and further commits are refused.
 *   <li>The others answer commits that are repeated because their answer was lost. The latest {@value #KEPT} stay.
 *   <li>Ids of transactions begin with the time at which they were made. Of those made since the latest that was
 *       dropped, a missing record proves that there was no commit; of earlier ones it proves nothing.
 * </ul>
 */
final class CommitRecords {
    /** They stay only when both a coordinator and a participant went away; so many want an operator. */
    private static final int MOST_OPEN = 65_536;
    /** At 1,000 commits a second a minute's; some 8 MiB of memory. */
    static final int KEPT = 65_536;
    /** Dropped in one write. */
    private static final int DROPPED_AT_ONCE = 1_024;

    private final RocksStore store;
    private final Map<UUID, Set<String>> open = new HashMap<>();
    /** The earliest first. */
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
     * Adds a record to the write that commits.
     *
     * @param others ids of the nodes that have branches
     * @throws StatementException when too many are kept for other nodes
     */
    synchronized void add(WriteSet alongside, UUID transaction, List<String> others) {
        if (!others.isEmpty() && open.size() >= MOST_OPEN) {
            throw new StatementException(
                    SqlErrorCode.BUSY,
                    "the node keeps " + MOST_OPEN + " records of commits that other nodes have not asked for: start"
                            + " those nodes, they ask by themselves");
        }
        SharedTransactions.committed(alongside, transaction, others);
    }

    /** The write was done, durably. */
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
        // A crash may bring them back, which does no harm.
        store.write(new RowBatch(), writes);
    }

    synchronized boolean committed(UUID transaction) {
        return open.containsKey(transaction) || closed.contains(transaction);
    }

    /** Whether a transaction is so old that a missing record does not prove that it was not committed. */
    synchronized boolean forgotten(UUID transaction) {
        return TransactionIds.millis(transaction) <= forgottenThrough;
    }

    /** See {@link #forgotten}. */
    synchronized long forgottenThrough() {
        return forgottenThrough;
    }

    /**
     * Nodes say that their branches are ended, durably. That this is lost in a crash does no harm: it is said again.
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
