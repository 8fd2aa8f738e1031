package io.sluice.sql;

import io.sluice.api.transaction.LogPosition;
import io.sluice.sql.transaction.Durability;
import io.sluice.sql.transaction.KeyPrefetch;
import io.sluice.sql.transaction.Transaction;
import java.util.HashMap;
import java.util.Map;

/**
 * A transaction on single rows instead of SQL statements, with the same snapshot, checks, indexes and conflict
 * detection. Not thread-safe: a further thread joins by a {@link #sibling}. Closing the first one without a commit
 * rolls back.
 */
public final class RowTransaction implements AutoCloseable {
    private final Transaction transaction;
    private final SqlSettings.Deletes deletes;
    private final Map<String, RowTable> tables = new HashMap<>();

    RowTransaction(Transaction transaction, SqlSettings.Deletes deletes) {
        this.transaction = transaction;
        this.deletes = deletes;
    }

    /**
     * Returns a handle to the same transaction for another thread. No two threads may change rows that share a key; see
     * {@link RowTable#keys}.
     */
    public RowTransaction sibling() {
        return new RowTransaction(transaction.sibling(), deletes);
    }

    /**
     * Returns a table that the transaction may change.
     *
     * @throws io.sluice.grammar.StatementException if it does not exist or cannot be changed now
     */
    public RowTable table(String name) {
        RowTable known = tables.get(name);
        if (known == null) {
            known = new RowTable(transaction, transaction.requireChangeable(name), deletes);
            tables.put(name, known);
        }
        return known;
    }

    /** Whether reads go over the network, so that callers should prefetch. */
    public boolean remote() {
        return transaction.remote();
    }

    /** Starts a prefetch of keys that later changes will read; see {@link RowTable}. */
    public KeyPrefetch prefetch() {
        return new KeyPrefetch(transaction);
    }

    /**
     * Commits. No sibling may be in use.
     *
     * @param position position of a change log, stored in the same commit even if no row has changed
     * @throws io.sluice.grammar.StatementException if it is refused; nothing was written then
     */
    public Durability commit(LogPosition position) {
        return transaction.commit(position);
    }

    @Override
    public void close() {
        transaction.close();
    }
}
