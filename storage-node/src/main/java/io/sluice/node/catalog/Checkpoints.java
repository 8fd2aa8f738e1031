package io.sluice.node.catalog;

import io.sluice.api.error.BadInputException;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.WriteSet;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * What whoever runs an import has left for whoever resumes it. Notes are added and never change. They outlive the
 * publication by the import's lease, because the import may be published here and not yet elsewhere. Usable by several
 * threads.
 */
public final class Checkpoints {
    private static final int MAX_KEY_BYTES = 256;
    private static final int MAX_VALUE_BYTES = 1 << 20;
    /** Of all notes of an import: they lie in the catalog, which is to stay small. */
    private static final long MAX_BYTES = 64L << 20;

    private final RocksStore store;
    private final int importId;
    /** Bytes of all notes, or -1 as long as nobody has counted. */
    private long totalBytes = -1;

    public Checkpoints(RocksStore store, int importId) {
        this.store = store;
        this.importId = importId;
    }

    /**
     * Adds a note, durably; when there is one of that key, leaves it as it is.
     *
     * @throws BadInputException when the key, the value or all notes together are too long
     */
    public synchronized void add(String key, byte[] value) {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        if (name.length == 0 || name.length > MAX_KEY_BYTES || value.length > MAX_VALUE_BYTES) {
            throw new BadInputException("note " + (name.length > MAX_KEY_BYTES ? "of " + name.length + " bytes" : key)
                    + " with " + value.length + " bytes: keys have 1 to " + MAX_KEY_BYTES + " bytes, values at most "
                    + MAX_VALUE_BYTES);
        }
        byte[] place = Keys.note(importId, key);
        if (store.meta().get(place) != null) {
            return;
        }
        if (totalBytes < 0) {
            totalBytes = all().values().stream().mapToLong(each -> each.length).sum();
        }
        if (totalBytes + value.length > MAX_BYTES) {
            throw new BadInputException("note " + key + ": the import has " + totalBytes
                    + " bytes of notes already, and may have " + MAX_BYTES);
        }
        store.commit(new WriteSet().put(place, value));
        totalBytes += value.length;
    }

    /** All notes, by key. */
    public Map<String, byte[]> all() {
        Map<String, byte[]> notes = new TreeMap<>();
        byte[] prefix = Keys.notes(importId);
        MetaScan.forEach(
                store,
                prefix,
                (key, value) -> notes.put(
                        new String(key, prefix.length, key.length - prefix.length, StandardCharsets.UTF_8), value));
        return notes;
    }
}
