package io.sluice.engine.store;

import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * An atomic batch of Puts and deletes in several column families; deletes of spans apply before all others. Keys and
 * values are not copied. Not thread-safe.
 */
public final class RowBatch {
    /** One put, or a delete when there is no value. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Change(byte[] key, byte @Nullable [] value) {}

    private final Map<Family, List<KeySpan>> spans = new LinkedHashMap<>();
    private final Map<Family, List<Change>> changes = new LinkedHashMap<>();

    /** The changes of single keys in one family. */
    public static final class Part {
        private final List<Change> changes;

        private Part(List<Change> changes) {
            this.changes = changes;
        }

        /** Puts a KV, or deletes the key when the value is null. */
        public void set(byte[] key, byte @Nullable [] value) {
            changes.add(new Change(key, value));
        }
    }

    /** The collector of a family's changes. */
    public Part part(Family family) {
        return new Part(family(family));
    }

    /** Puts a KV, or deletes the key when the value is null. */
    public void set(Family family, byte[] key, byte @Nullable [] value) {
        part(family).set(key, value);
    }

    /** Deletes all keys of a span, before all other changes of the batch. */
    public void delete(Family family, KeySpan span) {
        family(family);
        spans.computeIfAbsent(family, none -> new ArrayList<>()).add(span);
    }

    private List<Change> family(Family family) {
        return changes.computeIfAbsent(family, none -> new ArrayList<>());
    }

    Set<Family> families() {
        return changes.keySet();
    }

    /** The keys of a family that are put or deleted one by one. */
    List<byte[]> keys(Family family) {
        return changes.getOrDefault(family, List.of()).stream().map(Change::key).toList();
    }

    /** The spans of a family that are deleted. */
    List<KeySpan> spans(Family family) {
        return spans.getOrDefault(family, List.of());
    }

    void addTo(WriteBatch batch) throws RocksDBException {
        for (Map.Entry<Family, List<KeySpan>> each : spans.entrySet()) {
            for (KeySpan span : each.getValue()) {
                batch.deleteRange(each.getKey().handle(), span.start(), span.end());
            }
        }
        for (Map.Entry<Family, List<Change>> each : changes.entrySet()) {
            for (Change change : each.getValue()) {
                byte[] value = change.value();
                if (value == null) {
                    batch.delete(each.getKey().handle(), change.key());
                } else {
                    batch.put(each.getKey().handle(), change.key(), value);
                }
            }
        }
    }
}
