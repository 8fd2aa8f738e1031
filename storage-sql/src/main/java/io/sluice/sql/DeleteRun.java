package io.sluice.sql;

import io.sluice.engine.store.Kv;
import io.sluice.grammar.Statement;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.Where;
import io.sluice.model.row.Row;
import io.sluice.model.schema.TableDef;
import io.sluice.sql.transaction.TableAccess;
import io.sluice.sql.transaction.Transaction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Executes one DELETE. It erases spans of keys if {@link HierarchyPlan} allows it. Otherwise it deletes row by row and
 * cascades breadth first. At the end no row may refer to a deleted row.
 */
final class DeleteRun {
    /** Two rows in memory during the search for rows that refer to them. */
    private static final int ROW_OVERHEAD_BYTES = 512;

    private final Transaction transaction;
    private final CascadePlan plan;
    private final ForeignKeys keys;
    private final Deque<DeletedRow> queue = new ArrayDeque<>();
    private final List<RestrictCheck> restrictChecks = new ArrayList<>();
    private final Map<String, Long> deleted = new TreeMap<>();

    private DeleteRun(Transaction transaction, ForeignKeys keys, CascadePlan plan) {
        this.transaction = transaction;
        this.keys = keys;
        this.plan = plan;
    }

    /** A deleted row whose references are not followed yet. */
    private record DeletedRow(TableDef table, Row row) {}

    /** A deleted row to which no row may refer at the end. */
    private record RestrictCheck(Reference reference, Row row) {}

    /** Deletes all rows in one transaction, within its memory limit. */
    static StatementResult run(Transaction transaction, Statement.Delete statement, SqlSettings settings) {
        if (statement.returning().outputs().isEmpty()) {
            return step(transaction, statement, null, settings.deletes().atOnce())
                    .result(statement.table().name());
        }
        // The rows are returned as they were, so each is read.
        TableAccess table = transaction.requireChangeable(statement.table().name());
        List<Kv> found = Matching.all(table, statement.where());
        StatementResult.Changed changed =
                rowByRow(transaction, table, found).result(statement.table().name());
        return ResultRows.returning(
                statement.returning(),
                changed,
                found.stream().map(table::decoded).toList(),
                settings.memory().resultBytes());
    }

    /**
     * Deletes rows: all of them row by row, or one step of a span delete.
     *
     * @param from key at which the previous step ended, or null
     */
    static DeletedRows step(
            Transaction transaction, Statement.Delete statement, byte @Nullable [] from, SqlSettings.Deletes settings) {
        TableAccess table = transaction.requireChangeable(statement.table().name());
        if (settings.bySpan()) {
            HierarchyPlan spans = plan(transaction, table, statement.where());
            if (spans.bySpan()) {
                return SpanDelete.step(transaction, spans, statement.where(), from, settings.chunkKvs());
            }
        }
        // Rows that earlier steps deleted do not match the condition any more.
        return rowByRow(transaction, table, Matching.all(table, statement.where()));
    }

    static HierarchyPlan plan(Transaction transaction, TableAccess table, Where where) {
        return HierarchyPlan.of(transaction.allTables(), table.table(), where, transaction.eraseBlocker(table));
    }

    private static DeletedRows rowByRow(Transaction transaction, TableAccess table, List<Kv> found) {
        ForeignKeys keys = new ForeignKeys(transaction);
        CascadePlan plan = CascadePlan.of(keys, table.table().def());
        DeleteRun run = new DeleteRun(transaction, keys, plan);
        run.delete(table, found);
        run.cascade();
        run.restrictChecks.forEach(each -> keys.refuseOrphans(each.reference(), each.row()));
        return new DeletedRows(run.deleted, null);
    }

    private void delete(TableAccess table, List<Kv> rows) {
        TableDef def = table.table().def();
        boolean isReferenced = !plan.to(def).isEmpty();
        for (Kv kv : rows) {
            Row row = table.decoded(kv);
            table.removeRow(row);
            if (isReferenced) {
                transaction.reserve(ROW_OVERHEAD_BYTES);
                queue.addLast(new DeletedRow(def, row));
            }
        }
        deleted.merge(def.name(), (long) rows.size(), Long::sum);
    }

    private void cascade() {
        while (!queue.isEmpty()) {
            DeletedRow deletedRow = queue.removeFirst();
            for (Reference reference : plan.to(deletedRow.table())) {
                if (reference.cascades()) {
                    TableAccess child =
                            transaction.requireChangeable(reference.child().name());
                    List<Kv> rows = new ArrayList<>();
                    keys.children(reference, deletedRow.row(), kv -> {
                        transaction.reserve(kv.key().length + (long) kv.value().length);
                        return rows.add(kv);
                    });
                    if (!rows.isEmpty()) {
                        delete(child, rows);
                    }
                } else {
                    restrictChecks.add(new RestrictCheck(reference, deletedRow.row()));
                }
            }
        }
    }
}
