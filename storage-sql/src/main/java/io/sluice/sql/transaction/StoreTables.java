package io.sluice.sql.transaction;

import io.sluice.engine.store.RocksStore;
import io.sluice.model.schema.Table;
import io.sluice.node.catalog.AppliedLogs;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.TableRecord;
import org.jspecify.annotations.Nullable;

/**
 * The tables of one store that this process has open.
 *
 * @param commits commits transactions to the store
 */
public record StoreTables(RocksStore store, Catalog catalog, Commits commits) implements Tables {
    @Override
    public Snapshot snapshot(ReadWriteSet readWriteSet, boolean multiStatement) {
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

    /** Does nothing: the code that opened the store closes it. */
    @Override
    public void close() {}
}
