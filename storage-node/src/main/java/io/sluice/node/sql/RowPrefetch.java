package io.sluice.node.sql;

import io.sluice.api.row.Row;
import io.sluice.node.transaction.KeyPrefetch;
import io.sluice.node.transaction.Transaction;

/** What the next changes of rows will look at, gathered to be fetched at once. For one thread. */
public final class RowPrefetch {
    private final RowTransaction transaction;
    private final KeyPrefetch expected;

    RowPrefetch(Transaction rows, RowTransaction transaction) {
        this.transaction = transaction;
        expected = new KeyPrefetch(rows);
    }

    /** A row that will be looked for. */
    public RowPrefetch row(String table, byte[] primaryKey) {
        transaction.table(table).expectRow(expected, primaryKey);
        return this;
    }

    /** A row that will be inserted. */
    public RowPrefetch insert(String table, Row row) {
        transaction.table(table).expectInsert(expected, row);
        return this;
    }

    /** Fetches. */
    public void fetch() {
        expected.fetch();
    }
}
