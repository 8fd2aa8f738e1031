package io.sluice.node.sql;

import io.sluice.api.kv.KeySpan;
import io.sluice.api.kv.KvSum;
import io.sluice.node.store.Family;
import io.sluice.node.store.RowBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction has written and not committed, in key order, and how that changes what its tables add up to.
 * Usable by several threads, as long as no two of them change, or read and change, the same key.
 *
 * <p>Invariant: a change knows what its key had in the snapshot, and is forgotten when it leaves things as they were.
 */
final class Overlay {
    /** Tree node, change and array headers. */
    private static final int CHANGE_OVERHEAD_BYTES = 160;

    private final Map<Family, ConcurrentSkipListMap<byte[], Change>> changes = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();

    /** Which index of which table a KV is of. */
    record Place(int tableId, int ordinal) {}

    /** A key's value in the snapshot, by its sum, and now. */
    static final class Change {
        private final Place place;
        private final KvSum before;
        private volatile byte @Nullable [] now;

        private Change(Place place, KvSum before) {
            this.place = place;
            this.before = before;
        }

        /** The value now, or null. */
        byte @Nullable [] now() {
            return now;
        }
    }

    /** Puts a KV whose key has no value now. */
    void insert(Family family, Place place, byte[] key, byte[] value) {
        Map<byte[], Change> map = map(family);
        Change change = map.get(key);
        if (change == null) {
            change = new Change(place, KvSum.EMPTY);
            map.put(key, change);
            bytes.addAndGet(CHANGE_OVERHEAD_BYTES + key.length);
        }
        bytes.addAndGet(value.length);
        change.now = value;
    }

    /** Removes a key that has this value now. */
    void remove(Family family, Place place, byte[] key, byte[] value) {
        Map<byte[], Change> map = map(family);
        Change change = map.get(key);
        if (change == null) {
            map.put(key, new Change(place, sum(key, value)));
            bytes.addAndGet(CHANGE_OVERHEAD_BYTES + key.length);
        } else {
            change.now = null;
            bytes.addAndGet(-value.length);
            if (change.before.count() == 0) {
                map.remove(key);
                bytes.addAndGet(-CHANGE_OVERHEAD_BYTES - key.length);
            }
        }
    }

    private Map<byte[], Change> map(Family family) {
        return changes.computeIfAbsent(family, none -> new ConcurrentSkipListMap<>(Arrays::compareUnsigned));
    }

    private static KvSum sum(byte[] key, byte[] value) {
        KvSum.Accumulator sum = new KvSum.Accumulator();
        sum.add(KvSum.storedCrc(value, 0), key.length + value.length);
        return sum.sum();
    }

    /** What was done to a key, or null when nothing was. */
    @Nullable
    Change get(Family family, byte[] key) {
        ConcurrentSkipListMap<byte[], Change> map = changes.get(family);
        return map == null ? null : map.get(key);
    }

    /** What was done within a span, in key order; not to be used after the next change. */
    Iterator<Map.Entry<byte[], Change>> within(Family family, KeySpan span) {
        ConcurrentSkipListMap<byte[], Change> map = changes.get(family);
        NavigableMap<byte[], Change> part = map == null ? null : map.subMap(span.start(), true, span.end(), false);
        return part == null
                ? Map.<byte[], Change>of().entrySet().iterator()
                : part.entrySet().iterator();
    }

    /** About how much memory it takes. */
    long bytes() {
        return bytes.get();
    }

    boolean isEmpty() {
        return changes.values().stream().allMatch(Map::isEmpty);
    }

    /** The keys it changes. */
    SpanSet written() {
        List<KeySpan> points = new ArrayList<>();
        changes.values().forEach(map -> map.keySet().forEach(key -> points.add(SpanSet.point(key))));
        return SpanSet.of(points);
    }

    /** Ids of the tables it changes. */
    Set<Integer> tables() {
        TreeSet<Integer> ids = new TreeSet<>();
        changes.values().forEach(map -> map.values().forEach(change -> ids.add(change.place.tableId())));
        return ids;
    }

    /** How much more each index adds up to, where it does; numbers may be negative. */
    Map<Place, KvSum> difference() {
        Map<Place, KvSum> sums = new HashMap<>();
        for (Map<byte[], Change> map : changes.values()) {
            map.forEach((key, change) -> {
                byte[] now = change.now;
                KvSum after = now == null ? KvSum.EMPTY : sum(key, now);
                sums.merge(change.place, after.minus(change.before), KvSum::plus);
            });
        }
        return sums;
    }

    void addTo(RowBatch batch) {
        changes.forEach((family, map) -> map.forEach((key, change) -> batch.set(family, key, change.now)));
    }
}
