package io.sluice.sql;

import io.sluice.grammar.StatementResult;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Result of one step of a DELETE.
 *
 * @param counts number of deleted rows by table; not copied, so do not modify it
 * @param resume key at which the next step begins; null if the DELETE is complete
 */
@SuppressWarnings("ArrayRecordComponent")
record DeletedRows(Map<String, Long> counts, byte @Nullable [] resume) {
    static final DeletedRows NONE = new DeletedRows(Map.of(), null);

    /** Combines this step's result with the next step's. */
    DeletedRows then(DeletedRows next) {
        Map<String, Long> sums = new TreeMap<>(counts);
        next.counts.forEach((table, count) -> sums.merge(table, count, Long::sum));
        return new DeletedRows(sums, next.resume);
    }

    long of(String table) {
        return counts.getOrDefault(table, 0L);
    }

    /** Returns the result of a DELETE on a table: its own row count, and the counts of cascaded rows by table. */
    StatementResult.Changed result(String table) {
        Map<String, Long> cascaded = new TreeMap<>(counts);
        cascaded.remove(table);
        cascaded.values().removeIf(count -> count == 0);
        return new StatementResult.Changed(of(table), cascaded);
    }
}
