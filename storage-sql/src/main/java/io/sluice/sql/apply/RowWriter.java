package io.sluice.sql.apply;

import io.sluice.model.row.Row;
import io.sluice.sql.RowTable;
import io.sluice.sql.RowTransaction;
import org.jspecify.annotations.Nullable;

/** Applies single changes in a transaction. Not thread-safe. */
final class RowWriter {
    private final RowTransaction transaction;
    private final boolean upsert;

    RowWriter(RowTransaction transaction, boolean upsert) {
        this.transaction = transaction;
        this.upsert = upsert;
    }

    /**
     * Applies a change.
     *
     * @throws io.sluice.grammar.StatementException if the table refuses the change
     */
    void write(RowChange change) {
        RowTable table = transaction.table(change.table());
        switch (change.kind()) {
            case INSERT -> insert(table, change);
            case UPDATE -> update(table, change);
            case DELETE -> delete(table, change);
        }
    }

    private void insert(RowTable table, RowChange change) {
        Row old = upsert ? table.find(change.newKey()) : null;
        put(table, old, change.values());
    }

    private void update(RowTable table, RowChange change) {
        Row old = table.find(change.oldKey());
        if (old == null && upsert) {
            old = change.moves() ? table.find(change.newKey()) : null;
            if (old != null || change.whole()) {
                put(table, old, change.after(old));
                return;
            }
        }
        if (old == null) {
            throw table.missing(change.key());
        }
        table.update(old, change.after(old));
    }

    private static void put(RowTable table, @Nullable Row old, Row now) {
        if (old == null) {
            table.insert(now);
        } else {
            table.update(old, now);
        }
    }

    private void delete(RowTable table, RowChange change) {
        Row old = table.find(change.oldKey());
        if (old != null) {
            table.delete(old);
        } else if (!upsert) {
            throw table.missing(change.key());
        }
    }
}
