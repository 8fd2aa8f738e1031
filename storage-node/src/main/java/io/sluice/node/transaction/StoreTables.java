package io.sluice.node.transaction;

import io.sluice.api.schema.Table;
import io.sluice.node.catalog.AppliedLogs;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.store.RocksStore;
import org.jspecify.annotations.Nullable;

/**
 * The tables of one store in this process.
 *
 * @param rows where rows are read by their keys
 * @param commits where transactions become part of the store
 */
public record StoreTables(RocksStore store, Catalog catalog, RowFetch rows, Commits commits) implements Tables {
    @Override
    public Snapshot snapshot(ReadWriteSet ledger, boolean several) {
        return new StoreSnapshot(this);
    }

    @Override
    public @Nullable Table table(String name) {
        TableRecord record = catalog.table(name);
        return record == null ? null : record.table();
    }

    @Override
    public byte @Nullable [] position(String log) {
        return new AppliedLogs(store).position(log);
    }

    @Override
    public boolean closed() {
        return store.closed();
    }

    /** The store is whoever's opened it. */
    @Override
    public void close() {}
}
