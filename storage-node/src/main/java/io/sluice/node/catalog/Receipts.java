package io.sluice.node.catalog;

import io.sluice.api.node.SstFile;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.WriteSet;
import java.util.Collection;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The receipts of one import: a durable record of the SSTs that the node has taken. They identify repeated deliveries,
 * and tell a resumed import which SSTs arrived. The atomic write that publishes or abandons the import removes them.
 * Usable by several threads.
 */
public final class Receipts {
    private final RocksStore store;
    private final int importId;

    public Receipts(RocksStore store, int importId) {
        this.store = store;
        this.importId = importId;
    }

    /** The receipt of an SST; null when the node has not taken it. */
    public @Nullable Receipt find(UUID sst) {
        byte[] key = Keys.receipt(importId, sst);
        byte[] value = store.meta().get(key);
        return value == null ? null : RecordJson.read(key, value, Receipt.class);
    }

    /** Whether there are no receipts. */
    public boolean empty() {
        return MetaScan.empty(store, Keys.receipts(importId));
    }

    /** Calls the visitor with all receipts, in no particular order. */
    public void forEach(Consumer<Receipt> visitor) {
        MetaScan.forEach(
                store,
                Keys.receipts(importId),
                (key, value) -> visitor.accept(RecordJson.read(key, value, Receipt.class)));
    }

    /** Writes receipts of SSTs in one synced write. */
    public void record(Collection<SstFile> ssts, Receipt.Place place) {
        store.commit(receipts(ssts, place));
    }

    /** The write of receipts of SSTs, new or as replacements, for the caller to commit with other changes. */
    public WriteSet receipts(Collection<SstFile> ssts, Receipt.Place place) {
        WriteSet writes = new WriteSet();
        ssts.forEach(sst -> writes.put(Keys.receipt(importId, sst.id()), RecordJson.write(Receipt.of(sst, place))));
        return writes;
    }

    /** Removes all receipts, durably. */
    public void clear() {
        store.commit(new WriteSet().deletePrefix(Keys.receipts(importId)));
    }
}
