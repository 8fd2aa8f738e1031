package io.sluice.engine.store;

import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * An atomic batch of Puts and deletes in one column family: the catalog's, unless it is part of a {@link RowBatch}.
 * Deletes of spans apply before all others. Keys and values are not copied. Not thread-safe.
 */
public final class WriteSet {
    /** One put, or a delete when there is no value. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Change(byte[] key, byte @Nullable [] value) {}

    private final List<KeySpan> spans = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();

    public WriteSet put(byte[] key, byte[] value) {
        return set(key, value);
    }

    public WriteSet delete(byte[] key) {
        return set(key, null);
    }

    /** Puts a KV, or deletes the key when the value is null. */
    public WriteSet set(byte[] key, byte @Nullable [] value) {
        changes.add(new Change(key, value));
        return this;
    }

    /** Deletes every key that begins with a prefix. */
    public WriteSet deletePrefix(byte[] prefix) {
        return delete(KeySpan.ofPrefix(prefix));
    }

    public WriteSet delete(KeySpan span) {
        spans.add(span);
        return this;
    }

    /** The keys that are put or deleted one by one. */
    List<byte[]> keys() {
        return changes.stream().map(Change::key).toList();
    }

    /** The deleted spans. */
    List<KeySpan> spans() {
        return spans;
    }

    /** Adds all changes to a batch, deletes of spans first. */
    void addTo(WriteBatch batch, ColumnFamilyHandle family) throws RocksDBException {
        for (KeySpan span : spans) {
            batch.deleteRange(family, span.start(), span.end());
        }
        for (Change change : changes) {
            byte[] value = change.value();
            if (value == null) {
                batch.delete(family, change.key());
            } else {
                batch.put(family, change.key(), value);
            }
        }
    }
}
