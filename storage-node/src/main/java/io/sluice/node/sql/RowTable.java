package io.sluice.node.sql;

import io.sluice.api.row.Row;
import io.sluice.api.schema.Index;
import io.sluice.api.schema.IndexColumn;
import io.sluice.api.schema.Table;
import io.sluice.api.schema.TableDef;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.Statement;
import io.sluice.api.sql.StatementException;
import io.sluice.api.sql.Where;
import io.sluice.node.store.Kv;
import io.sluice.node.transaction.KeyPrefetch;
import io.sluice.node.transaction.TableAccess;
import io.sluice.node.transaction.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one table as one thread of a {@link RowTransaction} changes them. Rows handed in are only read; their
 * bytes must not change before the transaction has ended.
 */
public final class RowTable {
    private final Transaction transaction;
    private final TableAccess table;
    private final DeleteSettings deletes;
    private final ForeignKeys foreignKeys;
    private final List<Reference> from;
    private final List<Reference> to;

    RowTable(Transaction transaction, TableAccess table, DeleteSettings deletes) {
        this.transaction = transaction;
        this.table = table;
        this.deletes = deletes;
        foreignKeys = new ForeignKeys(transaction);
        TableDef def = table.table().def();
        from = foreignKeys.from(def);
        to = foreignKeys.to(def);
    }

    /** The table. */
    public Table table() {
        return table.table();
    }

    /**
     * Whether changes of different rows never depend on each other: no foreign keys, no unique index besides the
     * primary.
     */
    public boolean simple() {
        return from.isEmpty()
                && to.isEmpty()
                && table.table().def().secondaries().stream().noneMatch(index -> index.unique());
    }

    /** Whether rows of other tables may go with one of this: which, is not known before. */
    public boolean cascades() {
        return to.stream().anyMatch(Reference::cascades);
    }

    void expectRow(KeyPrefetch expected, byte[] primaryKey) {
        expected.add(table, primaryKey);
    }

    void expectInsert(KeyPrefetch expected, Row row) {
        RowWrites.prefetch(expected, table, row, table.encoded(row), foreignKeys, from);
    }

    /** A row as it is now, or null. Its bytes may be shared: do not change them. */
    public @Nullable Row find(byte[] primaryKey) {
        byte[] value = table.row(primaryKey);
        return value == null ? null : table.decoded(new Kv(primaryKey, value));
    }

    /**
     * Tells the keys by which changes of a row depend on others: its own in all unique indexes, and those it refers to.
     * Two changes must keep their order when they share one, of the row before or after.
     */
    public void keys(Row row, Consumer<byte[]> visitor) {
        List<Index> indexes = table.table().indexes();
        for (int i = 0; i < indexes.size(); i++) {
            Index index = indexes.get(i);
            boolean own = i == 0 || (index.def().unique() && !ForeignKeys.anyNull(row, positions(index)));
            if (own) {
                visitor.accept(table.keys().uniqueKey(i, row));
            }
        }
        for (Reference reference : from) {
            foreignKeys.parentSpans(reference, row).forEach(span -> visitor.accept(span.start()));
        }
    }

    private static List<Integer> positions(Index index) {
        return index.def().columns().stream().map(IndexColumn::column).toList();
    }

    /**
     * Puts a row.
     *
     * @throws StatementException when another has one of its keys, or it refers to none
     */
    public void insert(Row row) {
        RowWrites.put(table, row, table.encoded(row));
        from.forEach(reference -> foreignKeys.requireParent(reference, row));
    }

    /**
     * Puts a row in place of another.
     *
     * @param old as it is now
     * @throws StatementException when another has one of its keys, it refers to none, or is referred to
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
            // An import may have left a row that refers to none; that is to be mended, not a reason to refuse all else.
            if (!foreignKeys.parentSpans(reference, now).equals(foreignKeys.parentSpans(reference, old))) {
                foreignKeys.requireParent(reference, now);
            }
        }
        to.forEach(reference -> foreignKeys.refuseOrphans(reference, old));
    }

    /**
     * Removes a row, and those that go with it.
     *
     * @param old as it is now
     * @throws StatementException when it is referred to
     */
    public void delete(Row old) {
        if (to.isEmpty()) {
            table.removeRow(old);
            return;
        }
        TableDef def = table.table().def();
        List<Integer> primary = positions(table.table().primary());
        Where itself = new Where(0, List.of(new Where.Range(Texts.of(def, old, primary), null, null)));
        DeleteRun.run(transaction, new Statement.Delete(def, itself, true), deletes);
        transaction.releaseStatementMemory();
    }

    /** Refuses what asks for a row that is not there. */
    public StatementException missing(Row key) {
        List<Integer> primary = positions(table.table().primary());
        return new StatementException(
                SqlErrorCode.BAD_VALUE,
                "table " + table.table().name() + " has no row with "
                        + Texts.values(table.table().def(), key, primary));
    }
}
