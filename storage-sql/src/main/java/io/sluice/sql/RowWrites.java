package io.sluice.sql;

import io.sluice.engine.store.Kv;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Table;
import io.sluice.sql.transaction.KeyPrefetch;
import io.sluice.sql.transaction.TableAccess;
import io.sluice.sql.transaction.Transaction;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes rows as KVs to all their indexes and checks that the keys are unique. */
final class RowWrites {
    private RowWrites() {}

    /**
     * Inserts a row.
     *
     * @param kvs its KVs by index; null where the index does not change
     * @throws StatementException if another row has its key in the primary index or a unique index
     */
    static void put(TableAccess table, Row row, List<? extends @Nullable Kv> kvs) {
        for (int ordinal = 0; ordinal < kvs.size(); ordinal++) {
            Kv kv = kvs.get(ordinal);
            if (kv == null) {
                continue;
            }
            if (mayConflict(table.table(), ordinal, row)) {
                ensureFree(table, ordinal, row, kv.key());
            }
            table.insert(ordinal, kv);
        }
    }

    /**
     * Whether another row may have the same key. In a non-unique index it cannot: the primary key is part of the key.
     */
    private static boolean mayConflict(Table table, int ordinal, Row row) {
        Index index = table.indexes().get(ordinal);
        return ordinal == 0
                || (index.def().unique()
                        && !ForeignKeys.anyNull(row, index.def().positions()));
    }

    /**
     * Adds the keys that inserting a row will read: its own unique keys, and those of its parent rows.
     *
     * @param kvs its KVs by index; null where the index does not change
     * @param from the foreign keys to check
     */
    static void prefetch(
            KeyPrefetch prefetch,
            TableAccess table,
            Row row,
            List<? extends @Nullable Kv> kvs,
            ForeignKeys foreign,
            List<Reference> from) {
        Transaction transaction = table.transaction();
        if (!transaction.remote()) {
            return;
        }
        for (int ordinal = 0; ordinal < kvs.size(); ordinal++) {
            Kv kv = kvs.get(ordinal);
            if (kv != null && mayConflict(table.table(), ordinal, row)) {
                prefetch.add(table, kv.key());
            }
        }
        for (Reference reference : from) {
            TableAccess parent = transaction.require(reference.parent().name());
            foreign.parentSpans(reference, row).forEach(span -> prefetch.add(parent, span.start()));
        }
    }

    private static void ensureFree(TableAccess table, int ordinal, Row row, byte[] key) {
        boolean taken = ordinal == 0 ? table.row(key) != null : table.has(key);
        if (taken) {
            Index index = table.table().indexes().get(ordinal);
            throw new StatementException(
                    SqlErrorCode.UNIQUE,
                    "table " + table.table().name() + ", index " + index.def().name() + ": there is a row with "
                            + Texts.values(table.table().def(), row, index.def().positions()));
        }
    }

    /** Sets KVs that are equal at the same position in both lists to null. */
    static void keepDifferences(List<@Nullable Kv> before, List<@Nullable Kv> after) {
        for (int i = 0; i < before.size(); i++) {
            Kv old = before.get(i);
            Kv now = after.get(i);
            if (old != null
                    && now != null
                    && Arrays.equals(old.key(), now.key())
                    && Arrays.equals(old.value(), now.value())) {
                before.set(i, null);
                after.set(i, null);
            }
        }
    }
}
