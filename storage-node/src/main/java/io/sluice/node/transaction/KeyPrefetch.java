package io.sluice.node.transaction;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keys that a statement will soon ask for, of several tables, to be fetched at once where tables are far away; where
 * they are not, nothing is gathered. For one thread.
 */
public final class KeyPrefetch {
    private final Transaction transaction;
    private final Map<String, Keys> tables = new LinkedHashMap<>();

    /** Those of one table. */
    public record Keys(SnapshotTable table, List<byte[]> keys) {}

    /** For a statement of one transaction. */
    public KeyPrefetch(Transaction transaction) {
        this.transaction = transaction;
    }

    /** Keys of one table. What the transaction has changed itself is not asked for. */
    void add(TableAccess table, List<byte[]> all) {
        for (byte[] key : all) {
            add(table, key);
        }
    }

    /** One key of a table, likewise. */
    public void add(TableAccess table, byte[] key) {
        if (transaction.far() && transaction.overlay().get(table.tree(), key) == null) {
            tables.computeIfAbsent(table.table().name(), none -> new Keys(table.stored(), new ArrayList<>()))
                    .keys()
                    .add(key);
        }
    }

    /** Fetches them, if there is more than one. */
    public void fetch() {
        if (tables.values().stream().mapToInt(each -> each.keys().size()).sum() > 1) {
            transaction.expect(List.copyOf(tables.values()));
        }
        tables.clear();
    }
}
