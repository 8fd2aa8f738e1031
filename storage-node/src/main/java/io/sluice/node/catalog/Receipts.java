package io.sluice.node.catalog;

import io.sluice.api.node.SstFile;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.WriteSet;
import java.util.Collection;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The durable record of which SSTs of one import the node has taken, so that a delivery that is repeated is known for
 * what it is, and an import that is resumed knows what it has. They go with the import: the same atomic write that
 * publishes or abandons it removes them. Usable by several threads.
 */
public final class Receipts {
    private final RocksStore store;
    private final int importId;

    public Receipts(RocksStore store, int importId) {
        this.store = store;
        this.importId = importId;
    }

    /** The receipt of an SST; null when it was not taken. */
    public @Nullable Receipt find(UUID sst) {
        byte[] key = Keys.receipt(importId, sst);
        byte[] value = store.meta().get(key);
        return value == null ? null : RecordJson.read(key, value, Receipt.class);
    }

    /** Whether nothing was taken. */
    public boolean empty() {
        return MetaScan.empty(store, Keys.receipts(importId));
    }

    /** Shows all receipts, in no particular order. */
    public void forEach(Consumer<Receipt> visitor) {
        MetaScan.forEach(
                store,
                Keys.receipts(importId),
                (key, value) -> visitor.accept(RecordJson.read(key, value, Receipt.class)));
    }

    /** Records, in one synced write, that SSTs were taken. */
    public void record(Collection<SstFile> ssts, Receipt.Place place) {
        store.commit(receipts(ssts, place));
    }

    /** Receipts of SSTs, new or in place of those they have, to be written together with what they are for. */
    public WriteSet receipts(Collection<SstFile> ssts, Receipt.Place place) {
        WriteSet writes = new WriteSet();
        ssts.forEach(sst -> writes.put(Keys.receipt(importId, sst.id()), RecordJson.write(Receipt.of(sst, place))));
        return writes;
    }

    /** Forgets everything, durably: it will be made again. */
    public void clear() {
        store.commit(new WriteSet().deletePrefix(Keys.receipts(importId)));
    }
}
