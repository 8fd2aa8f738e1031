package io.sluice.sql;

import io.sluice.engine.store.Kv;
import io.sluice.grammar.Statement;
import io.sluice.grammar.Where;
import io.sluice.grammar.WhereSpans;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.sql.transaction.SpanSet;
import io.sluice.sql.transaction.TableAccess;
import io.sluice.sql.transaction.Transaction;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Upper bound on the read and write sets of a statement, computed before it runs and without reading rows. Two
 * statements may run in parallel if neither may write a key that the other may read or write.
 *
 * @param reads keys it may read, including unique and foreign key checks
 * @param writes keys it may write
 */
public record StatementSpans(SpanSet reads, SpanSet writes) {
    /** Whether two statements may run at the same time. */
    public boolean independentOf(StatementSpans other) {
        return !writes.intersects(other.writes) && !writes.intersects(other.reads) && !reads.intersects(other.writes);
    }

    static StatementSpans of(Transaction transaction, Statement statement) {
        SpanCollector all = new SpanCollector(transaction);
        if (statement instanceof Statement.Select select) {
            all.reading(transaction.require(select.table().name()), select.where());
        } else if (statement instanceof Statement.Insert insert) {
            all.inserting(insert);
        } else if (statement instanceof Statement.Update update) {
            all.updating(update);
        } else if (statement instanceof Statement.Delete delete) {
            all.deleting(delete);
        } else if (statement instanceof Statement.Explain explain) {
            return of(transaction, explain.statement());
        }
        return new StatementSpans(SpanSet.of(all.reads), SpanSet.of(all.writes));
    }

    /** Collects the spans of one statement. */
    private static final class SpanCollector {
        private final Transaction transaction;
        private final ForeignKeys keys;
        private final List<KeySpan> reads = new ArrayList<>();
        private final List<KeySpan> writes = new ArrayList<>();

        SpanCollector(Transaction transaction) {
            this.transaction = transaction;
            keys = new ForeignKeys(transaction);
        }

        /** A condition on a secondary index may match any row. */
        void reading(TableAccess table, Where where) {
            reads.addAll(WhereSpans.of(table.table(), table.keys(), where));
            if (where.ordinal() > 0) {
                reads.add(table.keys().span(0));
            }
        }

        void inserting(Statement.Insert insert) {
            TableAccess table = transaction.require(insert.table().name());
            List<Reference> references = keys.from(table.table().def());
            for (List<@Nullable String> texts : insert.rows()) {
                var row = InsertRun.row(table, texts);
                for (Kv kv : table.encoded(row)) {
                    writes.add(SpanSet.point(kv.key()));
                }
                references.forEach(reference -> reads.addAll(keys.parentSpans(reference, row)));
            }
        }

        void updating(Statement.Update update) {
            TableAccess table = transaction.require(update.table().name());
            reading(table, update.where());
            changing(table, update);
            for (Reference reference : keys.from(update)) {
                addAllIndexes(transaction.require(reference.parent().name()), reads);
            }
            for (Reference reference : keys.to(update)) {
                addAllIndexes(transaction.require(reference.child().name()), reads);
            }
        }

        /** Adds whole secondary indexes, because the rows' entries there are not known. */
        private void changing(TableAccess table, Statement.Update update) {
            Table bound = table.table();
            IndexKeys indexKeys = table.keys();
            boolean moves = bound.primary().def().columns().stream().anyMatch(part -> update.sets(part.column()));
            if (moves || update.where().ordinal() > 0) {
                writes.add(indexKeys.span(0));
            } else {
                writes.addAll(rowSpans(table, update.where()));
            }
            for (int i = 1; i < bound.indexes().size(); i++) {
                var def = bound.indexes().get(i).def();
                boolean touched = moves
                        || def.columns().stream().anyMatch(part -> update.sets(part.column()))
                        || def.storing().stream().anyMatch(update::sets);
                if (touched) {
                    writes.add(indexKeys.span(i));
                }
            }
        }

        private static List<KeySpan> rowSpans(TableAccess table, Where where) {
            List<byte[]> points = WhereSpans.points(table.table(), table.keys(), where);
            return points == null
                    ? WhereSpans.of(table.table(), table.keys(), where)
                    : points.stream().map(SpanSet::point).toList();
        }

        void deleting(Statement.Delete delete) {
            TableAccess table = transaction.require(delete.table().name());
            reading(table, delete.where());
            HierarchyPlan plan = DeleteRun.plan(transaction, table, delete.where());
            if (plan.bySpan()) {
                deletingBySpan(plan, WhereSpans.of(table.table(), table.keys(), delete.where()));
                return;
            }
            if (delete.where().ordinal() > 0) {
                writes.add(table.keys().span(0));
            } else {
                writes.addAll(rowSpans(table, delete.where()));
            }
            for (int i = 1; i < table.table().indexes().size(); i++) {
                writes.add(table.keys().span(i));
            }
            TableDef root = table.table().def();
            for (Reference step : CascadePlan.of(keys, root).steps()) {
                TableAccess child = transaction.require(step.child().name());
                addAllIndexes(child, reads);
                if (step.cascades()) {
                    addAllIndexes(child, writes);
                }
            }
        }

        /**
         * Adds the root rows' spans, which contain all deleted rows and all rows that refer to them, and the secondary
         * indexes. This also covers a DELETE row by row, should the statement fall back to it.
         */
        private void deletingBySpan(HierarchyPlan plan, List<KeySpan> spans) {
            reads.addAll(spans);
            writes.addAll(spans);
            for (HierarchyPlan.Member member : plan.members()) {
                TableAccess table = transaction.require(member.table().name());
                for (int i = 1; i < table.table().indexes().size(); i++) {
                    writes.add(table.keys().span(i));
                }
            }
        }

        private static void addAllIndexes(TableAccess table, List<KeySpan> spans) {
            for (int i = 0; i < table.table().indexes().size(); i++) {
                spans.add(table.keys().span(i));
            }
        }
    }
}
