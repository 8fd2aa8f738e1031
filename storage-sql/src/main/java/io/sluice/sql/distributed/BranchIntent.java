package io.sluice.sql.distributed;

import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.Difference;
import io.sluice.api.transaction.TableChanges;
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

/**
 * Intent of this node's branch of a transaction that another process coordinates.
 *
 * @param families names of column families by table id
 */
record BranchIntent(
        long since,
        long publications,
        SpanSet written,
        SpanSet checked,
        Set<Integer> tables,
        Map<Overlay.IndexId, KvChecksum> difference,
        Map<Integer, String> families,
        List<TableChanges> changes)
        implements Intent {
    /**
     * Builds the intent from a request.
     *
     * @param since see {@link Intent#since}
     * @param records returns the record of a table id, or null if there is no such table
     * @throws BadInputException if the request is malformed
     */
    static BranchIntent of(Changes changes, long since, long publications, IntFunction<@Nullable TableRecord> records) {
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
        return new BranchIntent(
                since,
                publications,
                SpanSet.of(points),
                SpanSet.of(changes.read()),
                tables,
                difference,
                families,
                changes.changes());
    }

    @Override
    public Set<String> erasedFrom() {
        return Set.of();
    }

    @Override
    public void addTo(RowBatch batch, Function<String, Family> byName) {
        for (TableChanges each : changes) {
            String name = families.get(each.table());
            if (name == null) {
                throw new IllegalStateException("there is no table with id " + each.table());
            }
            Family family = byName.apply(name);
            for (int i = 0; i < each.keys().size(); i++) {
                batch.set(family, each.keys().get(i), each.values().get(i));
            }
        }
    }
}
