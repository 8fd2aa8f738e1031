package io.sluice.engine.store;

import java.util.List;

/** Writes KVs for tests. */
public final class TestKvs {
    private TestKvs() {}

    /** Puts KVs into a column family, atomically and durably. */
    public static void put(RocksStore store, Family family, List<Kv> kvs) {
        RowBatch batch = new RowBatch();
        kvs.forEach(kv -> batch.set(family, kv.key(), kv.value()));
        store.write(batch, new WriteSet());
        store.syncLog();
    }
}
