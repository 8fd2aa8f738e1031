package io.sluice.node.sql;

import io.sluice.api.row.Row;
import io.sluice.node.transaction.Expected;
import io.sluice.node.transaction.Transaction;

/** What the next changes of rows will look at, gathered to be fetched at once. For one thread. */
public final class RowsToCome {
    private final RowTransaction transaction;
    private final Expected expected;

    RowsToCome(Transaction rows, RowTransaction transaction) {
        this.transaction = transaction;
        expected = new Expected(rows);
    }

    /** A row that will be looked for. */
    public RowsToCome row(String table, byte[] primaryKey) {
        transaction.table(table).expectRow(expected, primaryKey);
        return this;
    }

    /** A row that will be inserted. */
    public RowsToCome insert(String table, Row row) {
        transaction.table(table).expectInsert(expected, row);
        return this;
    }

    /** Fetches. */
    public void fetch() {
        expected.fetch();
    }
}
