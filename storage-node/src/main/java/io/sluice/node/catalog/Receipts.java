package io.sluice.node.catalog;

import io.sluice.node.store.RocksStore;
import io.sluice.node.store.WriteSet;
import java.util.Collection;
import java.util.UUID;

/**
 * The durable record of which SSTs of one import the node has taken, so that a delivery that is repeated is known for
 * what it is. They go with the import: the same atomic write that publishes or abandons it removes them. Usable by
 * several threads.
 */
public final class Receipts {
    /** A receipt says all by being there. */
    private static final byte[] NOTHING = {};

    private final RocksStore store;
    private final int importId;

    public Receipts(RocksStore store, int importId) {
        this.store = store;
        this.importId = importId;
    }

    /** Whether an SST was taken. */
    public boolean has(UUID sst) {
        return store.meta().get(Keys.receipt(importId, sst)) != null;
    }

    /** Records, in one synced write, that SSTs were taken. */
    public void record(Collection<UUID> ssts) {
        WriteSet writes = new WriteSet();
        ssts.forEach(sst -> writes.put(Keys.receipt(importId, sst), NOTHING));
        store.commit(writes);
    }

    /** The receipt of one SST, to be written together with what it is for. */
    public WriteSet receipt(UUID sst) {
        return new WriteSet().put(Keys.receipt(importId, sst), NOTHING);
    }
}
