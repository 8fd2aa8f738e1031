package io.sluice.engine.store;

import io.sluice.model.kv.KeySpan;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** An atomic batch of writes in several column families. Not thread-safe. */
public final class RowBatch {
    private final Map<Family, WriteSet> writes = new LinkedHashMap<>();

    /** The writes in one family, to which the caller may add. */
    public WriteSet of(Family family) {
        return writes.computeIfAbsent(family, none -> new WriteSet());
    }

    /** Puts a KV, or deletes the key when the value is null. */
    public void set(Family family, byte[] key, byte @Nullable [] value) {
        of(family).set(key, value);
    }

    /** Deletes all keys of a span, before all other changes of the batch. */
    public void delete(Family family, KeySpan span) {
        of(family).delete(span);
    }

    Set<Family> families() {
        return writes.keySet();
    }

    void addTo(WriteBatch batch) throws RocksDBException {
        for (Map.Entry<Family, WriteSet> each : writes.entrySet()) {
            each.getValue().addTo(batch, each.getKey().handle());
        }
    }
}
