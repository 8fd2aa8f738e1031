package io.sluice.node.catalog;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Guards tables against drops and added imports while rows are written, or while prepared branches that change them are
 * in doubt. Also numbers the publications of all tables, so that a transaction can tell whether a table was published
 * after its begin. Guarded by the catalog's lock.
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

    /** The number of prepared branches that change a table. */
    int prepared(int tableId) {
        return prepared.getOrDefault(tableId, 0);
    }

    boolean beingWritten(int tableId) {
        return writers.containsKey(tableId);
    }

    void published(int tableId) {
        publications++;
        firstPublished.putIfAbsent(tableId, publications);
        lastPublished.put(tableId, publications);
    }

    /** A table that stays the same was moved: transactions that began before have an outdated directory. */
    void moved(int tableId) {
        publications++;
        lastPublished.put(tableId, publications);
    }

    long publications() {
        return publications;
    }

    /** The publication number of a new table; 0 when the table existed before the store was opened. */
    long firstPublished(int tableId) {
        return firstPublished.getOrDefault(tableId, 0L);
    }

    long lastPublished(int tableId) {
        return lastPublished.getOrDefault(tableId, 0L);
    }
}
