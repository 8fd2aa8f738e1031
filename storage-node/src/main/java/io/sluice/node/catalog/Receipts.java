package io.sluice.node.catalog;

import io.sluice.api.node.SstFile;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.kv.KvChecksum;
import java.nio.file.Path;
import java.util.Collection;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * The receipts of one import: a durable record of the SSTs that the node has taken. They identify repeated deliveries,
 * and tell a resumed import which SSTs arrived. The atomic write that publishes or abandons the import removes them.
 * Usable by several threads.
 */
public final class Receipts {
    /** The place of an SST's KVs. */
    public enum Place {
        /** In staging, as a file. */
        STAGED,
        /** In the tree, as a file of its own. */
        TREE,
        /** In a small-SST buffer, as Puts. */
        LANDING
    }

    /** A receipt as JSON. */
    @SuppressWarnings("ArrayRecordComponent")
    record Stored(
            UUID sst, int indexId, byte[] smallestKey, byte[] largestKey, long fileBytes, KvChecksum sum, Place place) {
        static byte[] of(SstFile sst, Place place) {
            return RecordJson.write(new Stored(
                    sst.id(), sst.indexId(), sst.smallestKey(), sst.largestKey(), sst.fileBytes(), sst.sum(), place));
        }
    }

    private final RocksStore store;
    private final int importId;

    public Receipts(RocksStore store, int importId) {
        this.store = store;
        this.importId = importId;
    }

    /** Whether the node has taken an SST. */
    public boolean contains(UUID sst) {
        return store.meta().get(Keys.receipt(importId, sst)) != null;
    }

    /** Whether there are no receipts. */
    public boolean empty() {
        return MetaScan.empty(store, Keys.receipts(importId));
    }

    /**
     * Calls the visitor with all receipts, in no particular order.
     *
     * @param visitor receives the verified description of an SST, whose path is empty, and the place of its KVs
     */
    public void forEach(BiConsumer<SstFile, Place> visitor) {
        MetaScan.forEach(store, Keys.receipts(importId), (key, value) -> {
            Stored receipt = RecordJson.read(key, value, Stored.class);
            SstFile sst = new SstFile(
                    receipt.sst,
                    Path.of(""),
                    receipt.indexId,
                    receipt.smallestKey,
                    receipt.largestKey,
                    receipt.fileBytes,
                    receipt.sum);
            visitor.accept(sst, receipt.place);
        });
    }

    /** Writes receipts of SSTs in one synced write. */
    public void record(Collection<SstFile> ssts, Place place) {
        store.commit(receipts(ssts, place));
    }

    /** The write of receipts of SSTs, new or as replacements, for the caller to commit with other changes. */
    public WriteSet receipts(Collection<SstFile> ssts, Place place) {
        WriteSet writes = new WriteSet();
        ssts.forEach(sst -> writes.put(Keys.receipt(importId, sst.id()), Stored.of(sst, place)));
        return writes;
    }

    /** Removes all receipts, durably. */
    public void clear() {
        store.commit(new WriteSet().deletePrefix(Keys.receipts(importId)));
    }
}
