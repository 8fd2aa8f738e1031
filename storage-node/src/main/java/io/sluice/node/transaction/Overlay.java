package io.sluice.node.transaction;

import io.sluice.api.kv.KeySpan;
import io.sluice.api.kv.KvChecksum;
import io.sluice.node.store.Family;
import io.sluice.node.store.Kv;
import io.sluice.node.store.RowBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction has written and not committed, in key order, and how that changes what its tables add up to.
 * Usable by several threads, as long as no two of them change, or read and change, the same key.
 *
 * <p>Invariant: a change knows what its key had in the snapshot, and is forgotten when it leaves things as they were.
 */
public final class Overlay {
    /** Tree node, change with its sums, and array headers. */
    private static final int CHANGE_OVERHEAD_BYTES = 200;

    private final Map<String, ConcurrentSkipListMap<byte[], Change>> changes = new ConcurrentHashMap<>();
    /** What is gone of the snapshot but for what {@link #changes} has in it. */
    private final Map<String, SpanSet> erased = new ConcurrentHashMap<>();
    /** How much more each index adds up to. */
    private final Map<Place, Total> totals = new ConcurrentHashMap<>();

    private final AtomicLong bytes = new AtomicLong();

    /**
     * Which index of which table a KV is of.
     *
     * @param ordinal position of the index, 0 for the primary
     */
    public record Place(int tableId, int ordinal) {}

    /** A sum that several threads add to. */
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

    /** A key's value in the snapshot, by its sum, and now. */
    public static final class Change {
        /** What was done to a key that was erased with others. */
        private static final Change ERASED = new Change(new Place(0, 0), KvChecksum.EMPTY);

        private final Place place;
        private final KvChecksum before;
        private volatile byte @Nullable [] now;
        /** Of the value now. */
        private volatile KvChecksum sum = KvChecksum.EMPTY;

        private Change(Place place, KvChecksum before) {
            this.place = place;
            this.before = before;
        }

        /** The index it is in. */
        public Place place() {
            return place;
        }

        /** By how much more the index adds up to. */
        public KvChecksum difference() {
            return sum.minus(before);
        }

        /** The value now, or null. */
        public byte @Nullable [] now() {
            return now;
        }
    }

    /**
     * Puts a KV whose key has no value now.
     *
     * @param sum of it
     */
    void insert(String tree, Place place, Kv kv, KvChecksum sum) {
        byte[] key = kv.key();
        Map<byte[], Change> map = map(tree);
        Change change = map.get(key);
        if (change == null) {
            change = new Change(place, KvChecksum.EMPTY);
            map.put(key, change);
            bytes.addAndGet(CHANGE_OVERHEAD_BYTES + key.length);
        }
        bytes.addAndGet(kv.value().length);
        change.now = kv.value();
        change.sum = sum;
        total(place).add(sum);
    }

    private Total total(Place place) {
        Total known = totals.get(place);
        return known == null ? totals.computeIfAbsent(place, none -> new Total()) : known;
    }

    /**
     * Removes a key that has this value now.
     *
     * @param sum of the KV
     */
    void remove(String tree, Place place, Kv kv, KvChecksum sum) {
        byte[] key = kv.key();
        Map<byte[], Change> map = map(tree);
        Change change = map.get(key);
        total(place).subtract(sum);
        if (change == null) {
            map.put(key, new Change(place, sum));
            bytes.addAndGet(CHANGE_OVERHEAD_BYTES + key.length);
        } else {
            change.now = null;
            change.sum = KvChecksum.EMPTY;
            bytes.addAndGet(-kv.value().length);
            if (change.before.count() == 0) {
                map.remove(key);
                bytes.addAndGet(-CHANGE_OVERHEAD_BYTES - key.length);
            }
        }
    }

    /**
     * Removes all KVs of some spans.
     *
     * @param sums what is there now, by index; an index that has nothing there may be named, so that it counts as
     *     changed
     */
    void erase(String tree, List<KeySpan> spans, Map<Place, KvChecksum> sums) {
        sums.forEach((place, sum) -> total(place).subtract(sum));
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

    /** The spans that were erased, or null when there are none. */
    @Nullable
    SpanSet erased(String tree) {
        return erased.get(tree);
    }

    /** Names of the sorted maps of which spans were erased. */
    Set<String> erasedFrom() {
        return erased.keySet();
    }

    private Map<byte[], Change> map(String tree) {
        return changes.computeIfAbsent(tree, none -> new ConcurrentSkipListMap<>(Arrays::compareUnsigned));
    }

    /** What was done to a key, or null when nothing was. */
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

    /** What was done within a span, in key order; not to be used after the next change. */
    Iterator<Map.Entry<byte[], Change>> within(String tree, KeySpan span) {
        ConcurrentSkipListMap<byte[], Change> map = changes.get(tree);
        NavigableMap<byte[], Change> part = map == null ? null : map.subMap(span.start(), true, span.end(), false);
        return part == null
                ? Map.<byte[], Change>of().entrySet().iterator()
                : part.entrySet().iterator();
    }

    /** Whether anything was done within a span. */
    boolean touches(String tree, KeySpan span) {
        SpanSet spans = erased.get(tree);
        return within(tree, span).hasNext() || (spans != null && spans.meets(SpanSet.of(List.of(span))));
    }

    /** About how much memory it takes. */
    long bytes() {
        return bytes.get();
    }

    /** Whether things are as they were in the snapshot. */
    public boolean isEmpty() {
        return erased.isEmpty() && changes.values().stream().allMatch(Map::isEmpty);
    }

    /** The keys it changes. */
    SpanSet written() {
        List<KeySpan> points = new ArrayList<>();
        changes.values().forEach(map -> map.keySet().forEach(key -> points.add(SpanSet.point(key))));
        erased.values().forEach(set -> points.addAll(set.spans()));
        return SpanSet.of(points);
    }

    /** How much more each index adds up to of which anything was written; numbers may be negative. */
    Map<Place, KvChecksum> difference() {
        Map<Place, KvChecksum> sums = new HashMap<>();
        totals.forEach((place, total) -> sums.put(place, total.sum()));
        return sums;
    }

    /** Visits all changes of single keys, by the sorted map they are in. */
    public void forEach(Visitor visitor) {
        changes.forEach((tree, map) -> map.forEach(visitor::visit));
    }

    /** Takes one change. */
    public interface Visitor {
        /** Takes a change of a key. */
        void visit(byte[] key, Change change);
    }

    /** Adds all changes to a batch. */
    void addTo(RowBatch batch, Function<String, Family> families) {
        erased.forEach((tree, set) -> {
            Family family = families.apply(tree);
            set.spans().forEach(span -> batch.delete(family, span));
        });
        changes.forEach((tree, map) -> {
            RowBatch.Part part = batch.part(families.apply(tree));
            map.forEach((key, change) -> part.set(key, change.now));
        });
    }
}
