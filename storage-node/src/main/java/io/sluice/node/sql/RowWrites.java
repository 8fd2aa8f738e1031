package io.sluice.node.sql;

import io.sluice.api.row.Row;
import io.sluice.api.schema.Index;
import io.sluice.api.schema.IndexColumn;
import io.sluice.api.schema.Table;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import io.sluice.node.store.Kv;
import io.sluice.node.transaction.KeyPrefetch;
import io.sluice.node.transaction.TableAccess;
import io.sluice.node.transaction.Transaction;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows as the KVs of all their indexes: put if no other row has their keys, and exchanged where they differ. */
final class RowWrites {
    private RowWrites() {}

    /**
     * Puts a row.
     *
     * @param kvs its KVs by index; null where nothing is to be put
     * @throws StatementException when another row has its key in the primary or a unique index
     */
    static void put(TableAccess table, Row row, List<? extends @Nullable Kv> kvs) {
        for (int ordinal = 0; ordinal < kvs.size(); ordinal++) {
            Kv kv = kvs.get(ordinal);
            if (kv == null) {
                continue;
            }
            if (mayMeet(table.table(), ordinal, row)) {
                ensureFree(table, ordinal, row, kv.key());
            }
            table.insert(ordinal, kv);
        }
    }

    /** Whether another row may have the same key: in a plain index the primary key is part of it. */
    private static boolean mayMeet(Table table, int ordinal, Row row) {
        Index index = table.indexes().get(ordinal);
        return ordinal == 0 || (index.def().unique() && !ForeignKeys.anyNull(row, positions(index)));
    }

    /**
     * Tells what putting a row looks at: where its keys must be free, and the rows that it refers to.
     *
     * @param kvs its KVs by index; null where nothing is to be put
     * @param from those of its foreign keys to be looked at
     */
    static void prefetch(
            KeyPrefetch expected,
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
            if (kv != null && mayMeet(table.table(), ordinal, row)) {
                expected.add(table, kv.key());
            }
        }
        for (Reference reference : from) {
            TableAccess parent = transaction.require(reference.parent().name());
            foreign.parentSpans(reference, row).forEach(span -> expected.add(parent, span.start()));
        }
    }

    private static void ensureFree(TableAccess table, int ordinal, Row row, byte[] key) {
        boolean taken = ordinal == 0 ? table.row(key) != null : table.has(key);
        if (taken) {
            Index index = table.table().indexes().get(ordinal);
            throw new StatementException(
                    SqlErrorCode.UNIQUE,
                    "table " + table.table().name() + ", index " + index.def().name() + ": there is a row with "
                            + Texts.values(table.table().def(), row, positions(index)));
        }
    }

    private static List<Integer> positions(Index index) {
        return index.def().columns().stream().map(IndexColumn::column).toList();
    }

    /** Leaves out of both lists what they have in common at the same place. */
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
