package io.sluice.sql.distributed;

import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.Changes.Difference;
import io.sluice.api.transaction.Changes.TableChanges;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.RowBatch;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.node.catalog.TableRecord;
import io.sluice.sql.transaction.Intent;
import io.sluice.sql.transaction.Overlay;
import io.sluice.sql.transaction.SpanSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Builds the intent of this node's branch of a transaction that another process coordinates. */
final class BranchIntent {
    private BranchIntent() {}

    /**
     * Builds the intent from a request.
     *
     * @param since see {@link Intent#since}
     * @param records returns the record of a table id, or null if there is no such table
     * @throws BadInputException if the request is malformed
     */
    static Intent of(Changes changes, long since, long publications, IntFunction<@Nullable TableRecord> records) {
        List<KeySpan> points = new ArrayList<>();
        Map<Integer, String> families = new HashMap<>();
        Set<Integer> tables = new TreeSet<>();
        for (TableChanges each : changes.changes()) {
            if (each.keys().size() != each.values().size()) {
                throw new BadInputException("changes: " + each.keys().size() + " keys with "
                        + each.values().size() + " values");
            }
            each.keys().forEach(key -> points.add(SpanSet.point(key)));
            tables.add(each.table());
            TableRecord record = records.apply(each.table());
            if (record != null) {
                families.put(each.table(), record.family());
            }
        }
        Map<Overlay.IndexId, KvChecksum> difference = new HashMap<>();
        for (Difference each : changes.differences()) {
            difference.merge(new Overlay.IndexId(each.table(), each.ordinal()), each.sum(), KvChecksum::plus);
        }
        return new Intent(
                since,
                publications,
                SpanSet.of(points),
                SpanSet.of(changes.read()),
                tables,
                difference,
                Set.of(),
                (batch, byName) -> changes.changes().forEach(each -> add(each, families, batch, byName)));
    }

    private static void add(
            TableChanges changes,
            Map<Integer, String> families,
            RowBatch batch,
            Function<String, @Nullable Family> byName) {
        String name = families.get(changes.table());
        Family family = name == null ? null : byName.apply(name);
        if (family == null) {
            // The cluster has dropped the table since the branch was prepared.
            return;
        }
        for (int i = 0; i < changes.keys().size(); i++) {
            batch.set(family, changes.keys().get(i), changes.values().get(i));
        }
    }
}
