package io.sluice.node.catalog;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Which tables rows are being written to, for the moment that a write takes: until it is over the table is not dropped,
 * and no import begins to add to it. And when each table was published, in an order that all of them share, so that a
 * transaction can tell whether that was after it began. Guarded by the catalog.
 */
final class Writing {
    private final Map<Integer, Integer> writers = new HashMap<>();
    private final Map<Integer, Long> firstPublished = new HashMap<>();
    private final Map<Integer, Long> lastPublished = new HashMap<>();
    private long publications;

    void begin(Set<Integer> tableIds) {
        tableIds.forEach(id -> writers.merge(id, 1, Integer::sum));
    }

    void end(Set<Integer> tableIds) {
        tableIds.forEach(id -> writers.computeIfPresent(id, (same, count) -> count == 1 ? null : count - 1));
    }

    boolean goesOn(int tableId) {
        return writers.containsKey(tableId);
    }

    void published(int tableId) {
        publications++;
        firstPublished.putIfAbsent(tableId, publications);
        lastPublished.put(tableId, publications);
    }

    long publications() {
        return publications;
    }

    /** Tables that were there when the store was opened have the number 0. */
    long firstPublished(int tableId) {
        return firstPublished.getOrDefault(tableId, 0L);
    }

    long lastPublished(int tableId) {
        return lastPublished.getOrDefault(tableId, 0L);
    }
}
