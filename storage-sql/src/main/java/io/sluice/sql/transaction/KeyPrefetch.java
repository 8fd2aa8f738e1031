package io.sluice.sql.transaction;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Collects keys of several tables that a statement will read soon, and fetches them in one batch. Does nothing if the
 * tables are local. Not thread-safe.
 */
public final class KeyPrefetch {
    private final Transaction transaction;
    private final Map<String, Keys> tables = new LinkedHashMap<>();

    /** Keys to prefetch from one table. */
    public record Keys(SnapshotTable table, List<byte[]> keys) {}

    /** Serves one statement of the transaction. */
    public KeyPrefetch(Transaction transaction) {
        this.transaction = transaction;
    }

    /** Adds keys of one table, except those that the transaction itself has changed. */
    void add(TableAccess table, List<byte[]> all) {
        for (byte[] key : all) {
            add(table, key);
        }
    }

    /** Adds one key of a table, unless the transaction itself has changed it. */
    public void add(TableAccess table, byte[] key) {
        if (!transaction.remote()) {
            return;
        }
        for (byte[] each : table.readWith(key)) {
            if (transaction.overlay().get(table.tree(), each) == null) {
                tables.computeIfAbsent(table.table().name(), none -> new Keys(table.stored(), new ArrayList<>()))
                        .keys()
                        .add(each);
            }
        }
    }

    /** Fetches the collected keys if there are at least two, and clears the collection. */
    public void fetch() {
        if (tables.values().stream().mapToInt(each -> each.keys().size()).sum() > 1) {
            transaction.prefetch(List.copyOf(tables.values()));
        }
        tables.clear();
    }
}
