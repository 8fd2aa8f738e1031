package io.sluice.node.sql;

import io.sluice.api.kv.IndexKeys;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.schema.Table;
import io.sluice.api.schema.TableDef;
import io.sluice.api.sql.Assignment;
import io.sluice.api.sql.Statement;
import io.sluice.api.sql.Where;
import io.sluice.api.sql.WhereSpans;
import io.sluice.node.store.Kv;
import io.sluice.node.transaction.SpanSet;
import io.sluice.node.transaction.TableAccess;
import io.sluice.node.transaction.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which keys a statement may read and may write, told before it runs: never too few, and no more than can be known
 * without reading rows. Two statements of which neither writes what the other reads or writes may run in any order.
 *
 * @param reads keys it may read, those for checks included
 * @param writes keys it may write
 */
public record StatementSpans(SpanSet reads, SpanSet writes) {
    /** Whether two statements may run at the same time. */
    public boolean independentOf(StatementSpans other) {
        return !writes.intersects(other.writes) && !writes.intersects(other.reads) && !reads.intersects(other.writes);
    }

    static StatementSpans of(Transaction transaction, Statement statement) {
        Gathering all = new Gathering(transaction);
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

    /** The spans of one statement while they are put together. */
    private static final class Gathering {
        private final Transaction transaction;
        private final ForeignKeys keys;
        private final List<KeySpan> reads = new ArrayList<>();
        private final List<KeySpan> writes = new ArrayList<>();

        Gathering(Transaction transaction) {
            this.transaction = transaction;
            keys = new ForeignKeys(transaction);
        }

        /** By another index, any row may be meant. */
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
            Set<Integer> set =
                    update.assignments().stream().map(Assignment::column).collect(Collectors.toSet());
            changing(table, update.where(), set);
            for (Reference reference : keys.from(table.table().def())) {
                if (reference.childColumns().stream().anyMatch(set::contains)) {
                    whole(transaction.require(reference.parent().name()), reads);
                }
            }
            for (Reference reference : keys.to(table.table().def())) {
                if (reference.parentColumns().stream().anyMatch(set::contains)) {
                    whole(transaction.require(reference.child().name()), reads);
                }
            }
        }

        /** What the rows have in other indexes is not known. */
        private void changing(TableAccess table, Where where, Set<Integer> set) {
            Table bound = table.table();
            IndexKeys indexKeys = table.keys();
            boolean moves = bound.primary().def().columns().stream().anyMatch(part -> set.contains(part.column()));
            if (moves || where.ordinal() > 0) {
                writes.add(indexKeys.span(0));
            } else {
                writes.addAll(rowSpans(table, where));
            }
            for (int i = 1; i < bound.indexes().size(); i++) {
                var def = bound.indexes().get(i).def();
                boolean touched = moves
                        || def.columns().stream().anyMatch(part -> set.contains(part.column()))
                        || def.storing().stream().anyMatch(set::contains);
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
                inRows(plan, WhereSpans.of(table.table(), table.keys(), delete.where()));
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
                whole(child, reads);
                if (step.cascades()) {
                    whole(child, writes);
                }
            }
        }

        /**
         * All that goes, and all that refers to it, lies inside of the rows, but for entries of secondary indexes. That
         * is so for row by row too, if it comes to that.
         */
        private void inRows(HierarchyPlan plan, List<KeySpan> spans) {
            reads.addAll(spans);
            writes.addAll(spans);
            for (HierarchyPlan.Member member : plan.members()) {
                TableAccess table = transaction.require(member.table().name());
                for (int i = 1; i < table.table().indexes().size(); i++) {
                    writes.add(table.keys().span(i));
                }
            }
        }

        private static void whole(TableAccess table, List<KeySpan> spans) {
            for (int i = 0; i < table.table().indexes().size(); i++) {
                spans.add(table.keys().span(i));
            }
        }
    }
}
