package io.sluice.node.sql;

import io.sluice.node.catalog.AppliedLogs;
import io.sluice.node.transaction.Durability;
import io.sluice.node.transaction.Transaction;
import java.util.HashMap;
import java.util.Map;

/**
 * A transaction on single rows, without statements: the same snapshot, checks, indexes and conflicts. For one thread at
 * a time; another thread takes part by a {@link #sibling}. Close the first, which is also what undoes it.
 */
public final class RowTransaction implements AutoCloseable {
    private final Transaction transaction;
    private final DeleteSettings deletes;
    private final Map<String, RowTable> tables = new HashMap<>();

    RowTransaction(Transaction transaction, DeleteSettings deletes) {
        this.transaction = transaction;
        this.deletes = deletes;
    }

    /**
     * The same transaction for another thread. No two threads may touch rows that share a key: {@link RowTable#keys}.
     */
    public RowTransaction sibling() {
        return new RowTransaction(transaction.sibling(), deletes);
    }

    /**
     * A table to be changed.
     *
     * @throws io.sluice.api.sql.StatementException when there is none, or it cannot be changed now
     */
    public RowTable table(String name) {
        RowTable known = tables.get(name);
        if (known == null) {
            known = new RowTable(transaction, transaction.requireChangeable(name), deletes);
            tables.put(name, known);
        }
        return known;
    }

    /** Whether rows are so far away that it pays to say which are wanted before they are. */
    public boolean remote() {
        return transaction.remote();
    }

    /** Fetches what changes will look at. */
    public RowPrefetch toCome() {
        return new RowPrefetch(transaction, this);
    }

    /**
     * Commits; no sibling may be in use.
     *
     * @param mark how far a change log is applied with it; kept also when no row has changed
     * @throws io.sluice.api.sql.StatementException when it is refused; nothing was written then
     */
    public Durability commit(AppliedLogs.Mark mark) {
        return transaction.commit(mark);
    }

    @Override
    public void close() {
        transaction.close();
    }
}
