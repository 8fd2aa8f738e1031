package io.sluice.node.catalog;

import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.error.BadInputException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * The checkpoint records of one import, which an importer writes for a later attempt. Records are added and never
 * change. They outlive the publication by the import's lease, because other nodes may not have published yet. Usable by
 * several threads.
 */
public final class Checkpoints {
    private static final int MAX_KEY_BYTES = 256;
    private static final String REMOVAL = "";
    private static final int MAX_VALUE_BYTES = 1 << 20;
    /** Limit for all records of an import: they are in the catalog, which must stay small. */
    private static final long MAX_BYTES = 64L << 20;

    private final RocksStore store;
    private final int importId;
    /** Bytes of all records; -1 until they are counted. */
    private long totalBytes = -1;

    public Checkpoints(RocksStore store, int importId) {
        this.store = store;
        this.importId = importId;
    }

    /**
     * Adds a checkpoint record, durably. An existing record of that key stays unchanged.
     *
     * @throws BadInputException when the key, the value or all records together are too long
     */
    public synchronized void add(String key, byte[] value) {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        if (name.length == 0 || name.length > MAX_KEY_BYTES || value.length > MAX_VALUE_BYTES) {
            throw new BadInputException("checkpoint record "
                    + (name.length > MAX_KEY_BYTES ? "of " + name.length + " bytes" : key)
                    + " with " + value.length + " bytes: keys have 1 to " + MAX_KEY_BYTES + " bytes, values at most "
                    + MAX_VALUE_BYTES);
        }
        byte[] place = Keys.checkpoint(importId, key);
        if (store.meta().get(place) != null) {
            return;
        }
        if (totalBytes < 0) {
            totalBytes = all().values().stream().mapToLong(each -> each.length).sum();
        }
        if (totalBytes + value.length > MAX_BYTES) {
            throw new BadInputException("checkpoint record " + key + ": the import has " + totalBytes
                    + " bytes of checkpoint records already, and may have " + MAX_BYTES);
        }
        store.commit(new WriteSet().put(place, value));
        totalBytes += value.length;
    }

    /**
     * Records durably that the removal of the import has begun: the next process finishes it. The record has the empty
     * key, which clients cannot use, and goes with the others.
     */
    public void addRemoval() {
        store.commit(new WriteSet().put(Keys.checkpoint(importId, REMOVAL), new byte[0]));
    }

    /** Whether the removal of the import has begun. */
    public boolean removing() {
        return store.meta().get(Keys.checkpoint(importId, REMOVAL)) != null;
    }

    /** All checkpoint records, by key. */
    public Map<String, byte[]> all() {
        Map<String, byte[]> records = new TreeMap<>();
        byte[] prefix = Keys.checkpoints(importId);
        MetaScan.forEach(
                store,
                prefix,
                (key, value) -> records.put(
                        new String(key, prefix.length, key.length - prefix.length, StandardCharsets.UTF_8), value));
        return records;
    }
}
