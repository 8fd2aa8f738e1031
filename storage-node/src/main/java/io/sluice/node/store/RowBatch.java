package io.sluice.node.store;

import io.sluice.api.kv.KeySpan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * Puts and deletes in several column families that happen together or not at all; those of spans before all others.
 * Keys and values are not copied. Not safe for several threads.
 */
public final class RowBatch {
    /** One put, or a delete when there is no value. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Change(byte[] key, byte @Nullable [] value) {}

    private final Map<Family, List<KeySpan>> spans = new LinkedHashMap<>();
    private final Map<Family, List<Change>> changes = new LinkedHashMap<>();

    /** What is done to one family, key by key. */
    public static final class Part {
        private final List<Change> changes;

        private Part(List<Change> changes) {
            this.changes = changes;
        }

        /** Puts a KV, or with null for a value deletes a key. */
        public void set(byte[] key, byte @Nullable [] value) {
            changes.add(new Change(key, value));
        }
    }

    /** Changes of a family go there. */
    public Part part(Family family) {
        return new Part(family(family));
    }

    /** Puts a KV, or with null for a value deletes a key. */
    public void set(Family family, byte[] key, byte @Nullable [] value) {
        part(family).set(key, value);
    }

    /** Deletes all keys of a span, as they are before anything else of the batch. */
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
