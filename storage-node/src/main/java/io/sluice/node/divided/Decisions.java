package io.sluice.node.divided;

import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import io.sluice.node.catalog.SharedTransactions;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.RowBatch;
import io.sluice.node.store.WriteSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The transactions that this node has decided, for as long as another may ask: each with the nodes that have not said
 * that their part is ended. Usable by several threads.
 */
final class Decisions {
    /** They stay only when both a coordinator and a participant went away; that many are somebody's to look after. */
    private static final int MOST = 65_536;

    private final RocksStore store;
    private final Map<UUID, Set<String>> open = new HashMap<>();

    Decisions(RocksStore store, SharedTransactions stored) {
        this.store = store;
        stored.decided().forEach((id, nodes) -> open.put(id, new HashSet<>(nodes)));
    }

    /**
     * Adds a decision to the write that makes it true.
     *
     * @throws StatementException when too many are kept
     */
    synchronized void add(WriteSet alongside, UUID transaction, List<String> others) {
        if (open.size() >= MOST) {
            throw new StatementException(
                    SqlErrorCode.BUSY,
                    "the node keeps " + MOST + " decisions that other nodes have not asked for: start those nodes, they"
                            + " ask by themselves");
        }
        SharedTransactions.decided(alongside, transaction, others);
    }

    /** The write was done. */
    synchronized void added(UUID transaction, List<String> others) {
        open.put(transaction, new HashSet<>(others));
    }

    synchronized boolean committed(UUID transaction) {
        return open.containsKey(transaction);
    }

    /** Nodes say that their parts are ended, durably. That this is lost in a crash does no harm: it is said again. */
    synchronized void forget(UUID transaction, Collection<String> nodes) {
        Set<String> rest = open.get(transaction);
        if (rest == null) {
            return;
        }
        rest.removeAll(nodes);
        WriteSet writes = new WriteSet();
        if (rest.isEmpty()) {
            open.remove(transaction);
            SharedTransactions.forgotten(writes, transaction);
        } else {
            SharedTransactions.decided(writes, transaction, List.copyOf(rest));
        }
        store.write(new RowBatch(), writes);
    }
}
