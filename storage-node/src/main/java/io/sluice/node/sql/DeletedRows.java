package io.sluice.node.sql;

import io.sluice.api.sql.StatementResult;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one step of a DELETE has done.
 *
 * @param counts deleted rows by table; not copied: do not change them
 * @param resume the key at which the next step begins; null when all is done
 */
@SuppressWarnings("ArrayRecordComponent")
record DeletedRows(Map<String, Long> counts, byte @Nullable [] resume) {
    static final DeletedRows NONE = new DeletedRows(Map.of(), null);

    /** This step and the one after it. */
    DeletedRows then(DeletedRows next) {
        Map<String, Long> sums = new TreeMap<>(counts);
        next.counts.forEach((table, count) -> sums.merge(table, count, Long::sum));
        return new DeletedRows(sums, next.resume);
    }

    long of(String table) {
        return counts.getOrDefault(table, 0L);
    }

    /** The result of a statement on a table: its rows, and apart from them those that went along. */
    StatementResult.Changed result(String table) {
        Map<String, Long> cascaded = new TreeMap<>(counts);
        cascaded.remove(table);
        cascaded.values().removeIf(count -> count == 0);
        return new StatementResult.Changed(of(table), cascaded);
    }
}
