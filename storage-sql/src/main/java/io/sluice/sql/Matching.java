package io.sluice.sql;

import io.sluice.engine.store.Kv;
import io.sluice.grammar.Expression;
import io.sluice.grammar.Where;
import io.sluice.grammar.WhereSpans;
import io.sluice.model.kv.KeySpan;
import io.sluice.sql.query.RowValues;
import io.sluice.sql.query.Scalar;
import io.sluice.sql.transaction.TableAccess;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Finds the rows that match a condition. */
final class Matching {
    /** A list entry, a KV and two array headers. */
    private static final int KV_OVERHEAD_BYTES = 80;

    /** Number of rows fetched in one batch from remote tables. */
    private static final int BATCH_SIZE = 256;

    private Matching() {}

    /**
     * Visits the rows as KVs of the primary index, in the order of the index that the condition is on, until the
     * visitor returns false.
     */
    static void rows(TableAccess table, Where where, Predicate<Kv> visitor) {
        Expression filter = where.filter();
        if (filter == null) {
            visit(table, where, kv -> {
                table.transaction().ensureNotCancelled();
                return visitor.test(kv);
            });
            return;
        }
        Scalar condition = Scalar.of(filter);
        RowValues values = new RowValues(List.of(filter));
        visit(table, where, kv -> {
            table.transaction().ensureNotCancelled();
            return !condition.holds(values.of(table.decoded(kv))) || visitor.test(kv);
        });
    }

    private static void visit(TableAccess table, Where where, Predicate<Kv> visitor) {
        List<byte[]> points = WhereSpans.points(table.table(), table.keys(), where);
        if (points != null) {
            for (int i = 0; i < points.size(); i++) {
                if (i % BATCH_SIZE == 0) {
                    table.prefetch(points.subList(i, Math.min(i + BATCH_SIZE, points.size())));
                }
                byte[] key = points.get(i);
                byte[] value = table.row(key);
                if (value != null && !visitor.test(new Kv(key, value))) {
                    return;
                }
            }
            return;
        }
        for (KeySpan span : WhereSpans.of(table.table(), table.keys(), where)) {
            if (!table.rows(where.ordinal(), span, visitor)) {
                return;
            }
        }
    }

    /** Collects all rows before any is changed, because a scan would see the statement's own changes. */
    static List<Kv> all(TableAccess table, Where where) {
        List<Kv> found = new ArrayList<>();
        rows(table, where, kv -> {
            table.transaction().reserve(KV_OVERHEAD_BYTES + (long) kv.key().length + kv.value().length);
            return found.add(kv);
        });
        return found;
    }
}
