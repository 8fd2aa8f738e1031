package io.sluice.sql.apply;

import io.sluice.model.row.Row;
import io.sluice.sql.RowTable;
import io.sluice.sql.RowTransaction;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Applies single changes in a transaction. Not thread-safe. */
final class RowWriter {
    private final RowTransaction transaction;
    private final boolean upsert;
    private final LongAdder passedOver;

    /**
     * Creates a writer.
     *
     * @param passedOver counts updates that are passed over
     */
    RowWriter(RowTransaction transaction, boolean upsert, LongAdder passedOver) {
        this.transaction = transaction;
        this.upsert = upsert;
        this.passedOver = passedOver;
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
        if (upsert && (old == null || change.moves())) {
            replace(table, change, old);
        } else if (old == null) {
            throw table.missing(change.key());
        } else {
            table.update(old, change.after(old));
        }
    }

    /**
     * Applies an update to rows that may be ahead of the log. A row that is at the new key already has what the update
     * leaves out. A missing row was deleted later, which the log says, too; but a row that moves may be one that an
     * earlier delete of the log has taken, and its values are lost.
     *
     * @param old row at the old key, or null
     */
    private void replace(RowTable table, RowChange change, @Nullable Row old) {
        Row there = change.moves() ? table.find(change.newKey()) : null;
        if (there != null) {
            if (old != null) {
                table.delete(old);
            }
            table.update(there, change.after(there));
        } else if (old != null) {
            table.update(old, change.after(old));
        } else if (change.whole()) {
            table.insert(change.values());
        } else if (change.moves()) {
            throw table.missing(change.key());
        } else {
            passedOver.increment();
        }
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
