package io.sluice.sql;

import io.sluice.engine.store.Kv;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.Statement;
import io.sluice.grammar.StatementException;
import io.sluice.grammar.Where;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.TableDef;
import io.sluice.sql.transaction.KeyPrefetch;
import io.sluice.sql.transaction.TableAccess;
import io.sluice.sql.transaction.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes rows of one table in a {@link RowTransaction}. Does not modify the caller's rows; the caller must
 * not change their bytes before the transaction ends. Not thread-safe.
 */
public final class RowTable {
    private final Transaction transaction;
    private final TableAccess table;
    private final SqlSettings.Deletes deletes;
    private final ForeignKeys foreignKeys;
    private final List<Reference> from;
    private final List<Reference> to;
    /** References of {@link #to} without an index, so that only a scan of a whole table finds their children. */
    private final List<Reference> unindexed;

    RowTable(Transaction transaction, TableAccess table, SqlSettings.Deletes deletes) {
        this.transaction = transaction;
        this.table = table;
        this.deletes = deletes;
        foreignKeys = new ForeignKeys(transaction);
        TableDef def = table.table().def();
        from = foreignKeys.from(def);
        to = foreignKeys.to(def);
        unindexed = to.stream()
                .filter(reference -> transaction.allTables().stream()
                        .filter(child -> child.name().equals(reference.child().name()))
                        .anyMatch(child -> reference.childIndex(child.indexes()) < 0))
                .toList();
    }

    /**
     * Whether changes of different rows are independent: the table has no foreign keys and no unique secondary index.
     */
    public boolean simple() {
        return from.isEmpty()
                && to.isEmpty()
                && table.table().def().secondaries().stream().noneMatch(index -> index.unique());
    }

    /** Whether deleting a row may read any rows of other tables: it cascades to them, or scans all of a table. */
    public boolean deletesSearch() {
        return !unindexed.isEmpty() || to.stream().anyMatch(Reference::cascades);
    }

    /**
     * Whether changing a row may scan all of a table for rows that refer to the old row.
     *
     * @param moves whether the primary key changes
     * @param changes whether another column may change
     */
    public boolean updatesSearch(boolean moves, IntPredicate changes) {
        List<Integer> primary = table.table().primary().def().positions();
        return unindexed.stream()
                .flatMap(reference -> reference.parentColumns().stream())
                .anyMatch(column -> primary.contains(column) ? moves : changes.test(column));
    }

    /** Adds a row that the caller will look up to a prefetch. */
    public void prefetchRow(KeyPrefetch prefetch, byte[] primaryKey) {
        prefetch.add(table, primaryKey);
    }

    /** Adds the keys that an insert of a row will read to a prefetch. */
    public void prefetchInsert(KeyPrefetch prefetch, Row row) {
        RowWrites.prefetch(prefetch, table, row, table.encoded(row), foreignKeys, from);
    }

    /** Returns the current row of a primary key, or null. Its bytes may be shared: do not modify them. */
    public @Nullable Row find(byte[] primaryKey) {
        byte[] value = table.row(primaryKey);
        return value == null ? null : table.decoded(new Kv(primaryKey, value));
    }

    /**
     * Visits the keys that order changes of a row: its own keys in all unique indexes, and the keys it refers to. Two
     * changes that share such a key, of the old row or the new, must keep their order.
     */
    public void keys(Row row, Consumer<byte[]> visitor) {
        List<Index> indexes = table.table().indexes();
        for (int i = 0; i < indexes.size(); i++) {
            Index index = indexes.get(i);
            boolean own = i == 0
                    || (index.def().unique()
                            && !ForeignKeys.anyNull(row, index.def().positions()));
            if (own) {
                visitor.accept(table.keys().uniqueKey(i, row));
            }
        }
        for (Reference reference : from) {
            foreignKeys.parentSpans(reference, row).forEach(span -> visitor.accept(span.start()));
        }
    }

    /**
     * Inserts a row.
     *
     * @throws StatementException if another row has one of its keys, or a parent row does not exist
     */
    public void insert(Row row) {
        RowWrites.put(table, row, table.encoded(row));
        from.forEach(reference -> foreignKeys.requireParent(reference, row));
    }

    /**
     * Replaces a row.
     *
     * @param old the current row
     * @throws StatementException if another row has one of its keys, a parent row does not exist, or other rows refer
     *     to the old row
     */
    public void update(Row old, Row now) {
        List<@Nullable Kv> before = new ArrayList<>(table.encoded(old));
        List<@Nullable Kv> after = new ArrayList<>(table.encoded(now));
        RowWrites.keepDifferences(before, after);
        for (int i = 0; i < before.size(); i++) {
            Kv kv = before.get(i);
            if (kv != null) {
                table.remove(i, kv);
            }
        }
        RowWrites.put(table, now, after);
        for (Reference reference : from) {
            // An import may have left a row without a parent: allow changes that do not touch the foreign key.
            if (!foreignKeys.parentSpans(reference, now).equals(foreignKeys.parentSpans(reference, old))) {
                foreignKeys.requireParent(reference, now);
            }
        }
        to.forEach(reference -> foreignKeys.refuseOrphans(reference, old));
    }

    /**
     * Deletes a row and the rows that cascade from it.
     *
     * @param old the current row
     * @throws StatementException if other rows refer to it
     */
    public void delete(Row old) {
        if (to.isEmpty()) {
            table.removeRow(old);
            return;
        }
        TableDef def = table.table().def();
        List<Integer> primary = table.table().primary().def().positions();
        Where itself = new Where(0, List.of(new Where.Range(Texts.compared(def, old, primary), null, null)));
        Statement.Delete delete = new Statement.Delete(def, itself, Statement.Returning.NOTHING);
        DeleteRun.step(transaction, delete, null, deletes.atOnce());
        transaction.releaseStatementMemory();
    }

    /** Returns the error for a row that does not exist. */
    public StatementException missing(Row key) {
        List<Integer> primary = table.table().primary().def().positions();
        return new StatementException(
                SqlErrorCode.BAD_VALUE,
                "table " + table.table().name() + " has no row with "
                        + Texts.values(table.table().def(), key, primary));
    }
}
