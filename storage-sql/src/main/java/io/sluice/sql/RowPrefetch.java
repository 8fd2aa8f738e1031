package io.sluice.sql;

import io.sluice.model.row.Row;
import io.sluice.sql.transaction.KeyPrefetch;
import io.sluice.sql.transaction.Transaction;

/** Collects the keys that the next row changes will read, and fetches them in one batch. Not thread-safe. */
public final class RowPrefetch {
    private final RowTransaction transaction;
    private final KeyPrefetch prefetch;

    RowPrefetch(Transaction rows, RowTransaction transaction) {
        this.transaction = transaction;
        prefetch = new KeyPrefetch(rows);
    }

    /** Adds a row that the caller will look up. */
    public RowPrefetch row(String table, byte[] primaryKey) {
        transaction.table(table).prefetchRow(prefetch, primaryKey);
        return this;
    }

    /** Adds the keys that an insert of a row will read. */
    public RowPrefetch insert(String table, Row row) {
        transaction.table(table).prefetchInsert(prefetch, row);
        return this;
    }

    /** Fetches the collected keys. */
    public void fetch() {
        prefetch.fetch();
    }
}
