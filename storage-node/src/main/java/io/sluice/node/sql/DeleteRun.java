package io.sluice.node.sql;

import io.sluice.api.row.Row;
import io.sluice.api.schema.TableDef;
import io.sluice.api.sql.Statement;
import io.sluice.api.sql.StatementResult;
import io.sluice.api.sql.Where;
import io.sluice.node.store.Kv;
import io.sluice.node.transaction.TableAccess;
import io.sluice.node.transaction.Transaction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One DELETE: by spans of keys where {@link HierarchyPlan} finds nothing against it, else row by row and breadth first:
 * rows go, then those that refer to them and cascade, and so on. At the end nobody may be left who refers to a row that
 * is gone.
 */
final class DeleteRun {
    /** Two rows in memory while what refers to them is looked for. */
    private static final int ROW_OVERHEAD_BYTES = 512;

    private final Transaction transaction;
    private final CascadePlan plan;
    private final ForeignKeys keys;
    private final Deque<Gone> queue = new ArrayDeque<>();
    private final List<Owing> owing = new ArrayList<>();
    private final Map<String, Long> deleted = new TreeMap<>();

    private DeleteRun(Transaction transaction, ForeignKeys keys, CascadePlan plan) {
        this.transaction = transaction;
        this.keys = keys;
        this.plan = plan;
    }

    /** A row that is gone, and whose references are still to be followed. */
    private record Gone(TableDef table, Row row) {}

    /** A row that is gone, and that nobody may refer to at the end. */
    private record Owing(Reference reference, Row row) {}

    /** Deletes all rows at once, whatever memory that takes up to what the transaction may have. */
    static StatementResult.Changed run(Transaction transaction, Statement.Delete statement, DeleteSettings settings) {
        return step(transaction, statement, null, settings.atOnce())
                .result(statement.table().name());
    }

    /**
     * Deletes rows; by spans of keys, where the settings say so, no more than a step.
     *
     * @param from key at which the step before ended, or null
     */
    static DeletedRows step(
            Transaction transaction, Statement.Delete statement, byte @Nullable [] from, DeleteSettings settings) {
        TableAccess table = transaction.requireChangeable(statement.table().name());
        if (settings.bySpan()) {
            HierarchyPlan spans = plan(transaction, table, statement.where());
            if (spans.bySpan()) {
                return SpanDelete.step(transaction, spans, statement.where(), from, settings.chunkKvs());
            }
        }
        // What is gone already does not meet the condition any more.
        return rowByRow(transaction, table, statement);
    }

    static HierarchyPlan plan(Transaction transaction, TableAccess table, Where where) {
        return HierarchyPlan.of(transaction.allTables(), table.table(), where, transaction.eraseBlocker(table));
    }

    private static DeletedRows rowByRow(Transaction transaction, TableAccess table, Statement.Delete statement) {
        ForeignKeys keys = new ForeignKeys(transaction);
        CascadePlan plan = CascadePlan.of(keys, table.table().def());
        DeleteRun run = new DeleteRun(transaction, keys, plan);
        run.delete(table, Matching.all(table, statement.where()));
        run.cascade();
        run.owing.forEach(each -> keys.refuseOrphans(each.reference(), each.row()));
        return new DeletedRows(run.deleted, null);
    }

    private void delete(TableAccess table, List<Kv> rows) {
        TableDef def = table.table().def();
        boolean referred = !plan.to(def).isEmpty();
        for (Kv kv : rows) {
            Row row = table.decoded(kv);
            table.removeRow(row);
            if (referred) {
                transaction.reserve(ROW_OVERHEAD_BYTES);
                queue.addLast(new Gone(def, row));
            }
        }
        deleted.merge(def.name(), (long) rows.size(), Long::sum);
    }

    private void cascade() {
        while (!queue.isEmpty()) {
            Gone gone = queue.removeFirst();
            for (Reference reference : plan.to(gone.table())) {
                if (reference.cascades()) {
                    TableAccess child =
                            transaction.requireChangeable(reference.child().name());
                    List<Kv> rows = new ArrayList<>();
                    keys.children(reference, gone.row(), kv -> {
                        transaction.reserve(kv.key().length + (long) kv.value().length);
                        return rows.add(kv);
                    });
                    if (!rows.isEmpty()) {
                        delete(child, rows);
                    }
                } else {
                    owing.add(new Owing(reference, gone.row()));
                }
            }
        }
    }
}
