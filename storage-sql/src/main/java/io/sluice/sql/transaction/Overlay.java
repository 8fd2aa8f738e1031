package io.sluice.sql.transaction;

import io.sluice.engine.store.Family;
import io.sluice.engine.store.Kv;
import io.sluice.engine.store.RowBatch;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The uncommitted writes of a transaction in key order, with their effect on the checksums of its tables. Thread-safe,
 * as long as no two threads change, or read and change, the same key.
 *
 * <p>Invariant: a change records the checksum of its key's value in the snapshot. A key that the snapshot lacks,
 * inserted and deleted again, leaves no change.
 */
public final class Overlay {
    /** Tree node, change with its checksums, and array headers. */
    private static final int CHANGE_OVERHEAD_BYTES = 200;

    private final Map<String, ConcurrentSkipListMap<byte[], Change>> changes = new ConcurrentHashMap<>();
    /** Spans erased from the snapshot; {@link #changes} within them still apply. */
    private final Map<String, SpanSet> erased = new ConcurrentHashMap<>();
    /** Change of each index's checksum. */
    private final Map<IndexId, Total> totals = new ConcurrentHashMap<>();

    private final AtomicLong bytes = new AtomicLong();

    /**
     * The index of a table that a KV belongs to.
     *
     * @param ordinal position of the index, 0 for the primary
     */
    public record IndexId(int tableId, int ordinal) {}

    /** Checksum that several threads may add to. */
    private static final class Total {
        private final LongAdder count = new LongAdder();
        private final LongAdder bytes = new LongAdder();
        private final LongAdder crcSum = new LongAdder();

        void add(KvChecksum sum) {
            count.add(sum.count());
            bytes.add(sum.bytes());
            crcSum.add(sum.crcSum());
        }

        void subtract(KvChecksum sum) {
            add(KvChecksum.EMPTY.minus(sum));
        }

        KvChecksum sum() {
            return new KvChecksum(count.sum(), bytes.sum(), crcSum.sum());
        }
    }

    /** A change of one key: the checksum of its value in the snapshot, and its new value. */
    public static final class Change {
        /** Stands for any key within an erased span. */
        private static final Change ERASED = new Change(new IndexId(0, 0), KvChecksum.EMPTY);

        private final IndexId index;
        private final KvChecksum before;
        private volatile byte @Nullable [] now;
        /** Checksum of the new value. */
        private volatile KvChecksum sum = KvChecksum.EMPTY;

        private Change(IndexId index, KvChecksum before) {
            this.index = index;
            this.before = before;
        }

        public IndexId index() {
            return index;
        }

        /** Change of the index's checksum. */
        public KvChecksum difference() {
            return sum.minus(before);
        }

        /** The new value, or null if the key is deleted. */
        public byte @Nullable [] now() {
            return now;
        }
    }

    /**
     * Inserts a KV whose key has no value now.
     *
     * @param sum checksum of the KV
     */
    void insert(String tree, IndexId index, Kv kv, KvChecksum sum) {
        byte[] key = kv.key();
        Map<byte[], Change> map = map(tree);
        Change change = map.get(key);
        if (change == null) {
            change = new Change(index, KvChecksum.EMPTY);
            map.put(key, change);
            bytes.addAndGet(CHANGE_OVERHEAD_BYTES + key.length);
        }
        bytes.addAndGet(kv.value().length);
        change.now = kv.value();
        change.sum = sum;
        total(index).add(sum);
    }

    private Total total(IndexId index) {
        Total known = totals.get(index);
        return known == null ? totals.computeIfAbsent(index, none -> new Total()) : known;
    }

    /**
     * Deletes a key that has this value now.
     *
     * @param sum checksum of the KV
     */
    void remove(String tree, IndexId index, Kv kv, KvChecksum sum) {
        byte[] key = kv.key();
        Map<byte[], Change> map = map(tree);
        Change change = map.get(key);
        total(index).subtract(sum);
        if (change == null) {
            map.put(key, new Change(index, sum));
            bytes.addAndGet(CHANGE_OVERHEAD_BYTES + key.length);
        } else {
            change.now = null;
            change.sum = KvChecksum.EMPTY;
            bytes.addAndGet(-kv.value().length);
            // The snapshot has no such key; the count of a KV may be 0.
            if (change.before.bytes() == 0) {
                map.remove(key);
                bytes.addAndGet(-CHANGE_OVERHEAD_BYTES - key.length);
            }
        }
    }

    /**
     * Deletes all KVs in some spans.
     *
     * @param sums checksum of the KVs that are in the spans now, by index; an index with none may be named, so that it
     *     counts as changed
     */
    void erase(String tree, List<KeySpan> spans, Map<IndexId, KvChecksum> sums) {
        sums.forEach((index, sum) -> total(index).subtract(sum));
        for (KeySpan span : spans) {
            bytes.addAndGet(SpanSet.bytes(span));
            var changed = within(tree, span);
            while (changed.hasNext()) {
                Map.Entry<byte[], Change> each = changed.next();
                byte[] now = each.getValue().now;
                bytes.addAndGet(-CHANGE_OVERHEAD_BYTES - each.getKey().length - (now == null ? 0 : now.length));
                changed.remove();
            }
        }
        erased.merge(tree, SpanSet.of(spans), SpanSet::plus);
    }

    /** The erased spans, or null if there are none. */
    @Nullable
    SpanSet erased(String tree) {
        return erased.get(tree);
    }

    /** Names of the trees with erased spans. */
    Set<String> erasedFrom() {
        return erased.keySet();
    }

    private Map<byte[], Change> map(String tree) {
        return changes.computeIfAbsent(tree, none -> new ConcurrentSkipListMap<>(Arrays::compareUnsigned));
    }

    /** The change of a key, or null if the transaction has not changed it. */
    @Nullable
    Change get(String tree, byte[] key) {
        Map<byte[], Change> map = changes.get(tree);
        Change change = map == null ? null : map.get(key);
        if (change != null) {
            return change;
        }
        SpanSet spans = erased.get(tree);
        return spans == null || spans.spanOf(key) == null ? null : Change.ERASED;
    }

    /** Iterates over the changes within a span in key order. The next change invalidates the iterator. */
    Iterator<Map.Entry<byte[], Change>> within(String tree, KeySpan span) {
        ConcurrentSkipListMap<byte[], Change> map = changes.get(tree);
        NavigableMap<byte[], Change> part = map == null ? null : map.subMap(span.start(), true, span.end(), false);
        return part == null
                ? Map.<byte[], Change>of().entrySet().iterator()
                : part.entrySet().iterator();
    }

    /** Whether the transaction has changed any key within a span. */
    boolean touches(String tree, KeySpan span) {
        SpanSet spans = erased.get(tree);
        return within(tree, span).hasNext() || (spans != null && spans.intersects(SpanSet.of(List.of(span))));
    }

    /** Estimated memory in bytes. */
    long bytes() {
        return bytes.get();
    }

    /** Whether the transaction has no net effect on the snapshot. */
    public boolean isEmpty() {
        return erased.isEmpty() && changes.values().stream().allMatch(Map::isEmpty);
    }

    /** The write set. */
    SpanSet written() {
        List<KeySpan> points = new ArrayList<>();
        changes.values().forEach(map -> map.keySet().forEach(key -> points.add(SpanSet.point(key))));
        erased.values().forEach(set -> points.addAll(set.spans()));
        return SpanSet.of(points);
    }

    /** Change of the checksum of each index that was written to; its count and bytes may be negative. */
    Map<IndexId, KvChecksum> difference() {
        Map<IndexId, KvChecksum> sums = new HashMap<>();
        totals.forEach((index, total) -> sums.put(index, total.sum()));
        return sums;
    }

    /** Visits all changes of single keys, tree by tree. */
    public void forEach(Visitor visitor) {
        changes.forEach((tree, map) -> map.forEach(visitor::visit));
    }

    /** Receives changes of single keys. */
    public interface Visitor {
        /** Receives the change of one key. */
        void visit(byte[] key, Change change);
    }

    /** Adds all changes to a batch, erased spans first. */
    void addTo(RowBatch batch, Function<String, @Nullable Family> families) {
        erased.forEach((tree, set) -> {
            Family family = Objects.requireNonNull(families.apply(tree));
            set.spans().forEach(span -> batch.delete(family, span));
        });
        changes.forEach((tree, map) -> {
            WriteSet writes = batch.of(Objects.requireNonNull(families.apply(tree)));
            map.forEach((key, change) -> writes.set(key, change.now));
        });
    }
}
