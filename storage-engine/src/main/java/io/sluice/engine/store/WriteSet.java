package io.sluice.engine.store;

import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** An atomic batch of Puts and deletes in the meta column family. Not thread-safe. */
public final class WriteSet {
    /** One put, or a delete when there is no value. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Change(byte[] key, byte @Nullable [] value) {}

    private final List<KeySpan> spans = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();

    public WriteSet put(byte[] key, byte[] value) {
        changes.add(new Change(key, value));
        return this;
    }

    public WriteSet delete(byte[] key) {
        changes.add(new Change(key, null));
        return this;
    }

    /** Deletes every key that begins with a prefix. */
    public WriteSet deletePrefix(byte[] prefix) {
        spans.add(KeySpan.ofPrefix(prefix));
        return this;
    }

    /** Adds all changes to a batch, deletes of spans first. */
    void addTo(WriteBatch batch, ColumnFamilyHandle meta) throws RocksDBException {
        for (KeySpan span : spans) {
            batch.deleteRange(meta, span.start(), span.end());
        }
        for (Change change : changes) {
            byte[] value = change.value();
            if (value == null) {
                batch.delete(meta, change.key());
            } else {
                batch.put(meta, change.key(), value);
            }
        }
    }
}
