package io.sluice.node.catalog;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Which tables rows are being written to, for the moment that a write takes, and which are changed by prepared branches
 * of transactions, for as long as those are in doubt: meanwhile the table is not dropped, and no import begins to add
 * to it. And when each table was published, in an order that all of them share, so that a transaction can tell whether
 * that was after it began. Guarded by the catalog.
 */
final class WriteGuard {
    private final Map<Integer, Integer> writers = new HashMap<>();
    private final Map<Integer, Integer> prepared = new HashMap<>();
    private final Map<Integer, Long> firstPublished = new HashMap<>();
    private final Map<Integer, Long> lastPublished = new HashMap<>();
    private long publications;

    void begin(Set<Integer> tableIds) {
        count(writers, tableIds);
    }

    void end(Set<Integer> tableIds) {
        discount(writers, tableIds);
    }

    void prepare(Set<Integer> tableIds) {
        count(prepared, tableIds);
    }

    void decide(Set<Integer> tableIds) {
        discount(prepared, tableIds);
    }

    private static void count(Map<Integer, Integer> counts, Set<Integer> tableIds) {
        tableIds.forEach(id -> counts.merge(id, 1, Integer::sum));
    }

    private static void discount(Map<Integer, Integer> counts, Set<Integer> tableIds) {
        tableIds.forEach(id -> counts.computeIfPresent(id, (same, count) -> count == 1 ? null : count - 1));
    }

    /** How many prepared branches change a table. */
    int prepared(int tableId) {
        return prepared.getOrDefault(tableId, 0);
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
