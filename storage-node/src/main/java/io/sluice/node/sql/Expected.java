package io.sluice.node.sql;

import io.sluice.api.row.Row;
import io.sluice.node.store.Kv;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keys that a statement will soon ask for, of several tables, to be fetched at once where tables are far away; where
 * they are not, nothing is gathered. For one thread.
 */
final class Expected {
    private final Transaction transaction;
    private final Map<String, Keys> tables = new LinkedHashMap<>();

    /** Those of one table. */
    record Keys(SnapshotTable table, List<byte[]> keys) {}

    Expected(Transaction transaction) {
        this.transaction = transaction;
    }

    /** Keys of one table. What the transaction has changed itself is not asked for. */
    void add(TableAccess table, List<byte[]> all) {
        for (byte[] key : all) {
            add(table, key);
        }
    }

    private void add(TableAccess table, byte[] key) {
        if (transaction.far() && transaction.overlay().get(table.tree(), key) == null) {
            tables.computeIfAbsent(table.table().name(), none -> new Keys(table.stored(), new ArrayList<>()))
                    .keys()
                    .add(key);
        }
    }

    /**
     * What putting a row looks at: where its keys must be free, and the rows that it refers to.
     *
     * @param kvs its KVs by index; null where nothing is to be put
     */
    void put(TableAccess table, Row row, List<? extends @Nullable Kv> kvs, ForeignKeys foreign, List<Reference> from) {
        if (!transaction.far()) {
            return;
        }
        for (int ordinal = 0; ordinal < kvs.size(); ordinal++) {
            Kv kv = kvs.get(ordinal);
            if (kv != null && RowWrites.mayMeet(table.table(), ordinal, row)) {
                add(table, kv.key());
            }
        }
        for (Reference reference : from) {
            TableAccess parent = transaction.require(reference.parent().name());
            foreign.parentSpans(reference, row).forEach(span -> add(parent, span.start()));
        }
    }

    /** Fetches them, if there is more than one. */
    void fetch() {
        if (tables.values().stream().mapToInt(each -> each.keys().size()).sum() > 1) {
            transaction.expect(List.copyOf(tables.values()));
        }
        tables.clear();
    }
}
