package io.sluice.sql;

import io.sluice.grammar.Statement;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.Where;
import io.sluice.grammar.WhereSpans;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Index;
import io.sluice.sql.transaction.TableAccess;
import io.sluice.sql.transaction.Transaction;
import java.util.ArrayList;
import java.util.List;

/** Executes EXPLAIN: describes in words how a statement would run. */
final class Explanation {
    private static final int MAX_SPANS = 20;

    private final List<String> lines = new ArrayList<>();
    private final Transaction transaction;
    private final SqlSettings.Deletes deletes;

    private Explanation(Transaction transaction, SqlSettings.Deletes deletes) {
        this.transaction = transaction;
        this.deletes = deletes;
    }

    static StatementResult.Rows of(Transaction transaction, Statement statement, SqlSettings.Deletes deletes) {
        Explanation explanation = new Explanation(transaction, deletes);
        explanation.explain(statement);
        return new StatementResult.Rows(
                List.of("plan"), explanation.lines.stream().map(List::of).toList());
    }

    private void explain(Statement statement) {
        if (statement instanceof Statement.Select select) {
            boolean counts = SelectRun.countsAll(select);
            lines.add((counts ? "count rows of " : "read rows of ")
                    + select.table().name());
            by(select.table().name(), select.where(), !counts);
            steps(select, counts);
        } else if (statement instanceof Statement.Insert insert) {
            lines.add("insert " + insert.rows().size() + " rows into "
                    + insert.table().name());
            TableAccess table = transaction.require(insert.table().name());
            mustFind(new ForeignKeys(transaction).from(table.table().def()));
        } else if (statement instanceof Statement.Update update) {
            lines.add("update rows of " + update.table().name());
            by(update.table().name(), update.where(), true);
            references(update);
        } else if (statement instanceof Statement.Delete delete) {
            lines.add("delete rows of " + delete.table().name());
            by(delete.table().name(), delete.where(), true);
            TableAccess table = transaction.require(delete.table().name());
            lines.addAll(
                    CascadePlan.of(new ForeignKeys(transaction), table.table().def())
                            .describe());
            if (!delete.returning().outputs().isEmpty()) {
                lines.add("row by row");
                lines.add("not by span: each row is returned");
            } else if (deletes.bySpan()) {
                lines.addAll(DeleteRun.plan(transaction, table, delete.where()).describe());
            } else {
                lines.add("row by row");
                lines.add("not by span: that is switched off");
            }
        }
        StatementSpans spans = StatementSpans.of(transaction, statement);
        spans("may read", spans.reads().spans());
        spans("may write", spans.writes().spans());
    }

    private void by(String name, Where where, boolean rows) {
        TableAccess table = transaction.require(name);
        List<byte[]> points = rows ? WhereSpans.points(table.table(), table.keys(), where) : null;
        Index index = table.table().indexes().get(where.ordinal());
        if (points != null) {
            lines.add("get " + counted(points.size(), "row") + " by primary key");
        } else {
            List<KeySpan> spans = WhereSpans.of(table.table(), table.keys(), where);
            lines.add("scan " + counted(spans.size(), "span") + " of index "
                    + index.def().name());
            if (rows && where.ordinal() > 0) {
                lines.add("fetch each row by its primary key");
            }
        }
        if (where.filter() != null) {
            lines.add("test each row: the keys do not cover the whole condition");
        }
    }

    private void steps(Statement.Select select, boolean counts) {
        if (select.grouping() != null && !counts) {
            lines.add("group rows in memory");
        }
        if (select.distinct()) {
            lines.add("compare rows in memory");
        }
        if (!select.order().isEmpty()) {
            lines.add(
                    SelectRun.inIndexOrder(select)
                            ? "rows come in the order of the index"
                            : select.limit() == Long.MAX_VALUE
                                    ? "sort rows in memory"
                                    : "keep the first rows in memory");
        }
    }

    private void references(Statement.Update update) {
        ForeignKeys keys = new ForeignKeys(transaction);
        mustFind(keys.from(update));
        for (Reference reference : keys.to(update)) {
            lines.add("refuse if there are rows in " + reference.child().name() + " that refer to "
                    + reference.parent().name());
        }
    }

    private void mustFind(List<Reference> references) {
        references.forEach(
                each -> lines.add("each must find its row of " + each.parent().name()));
    }

    private static String counted(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    private void spans(String what, List<KeySpan> spans) {
        spans.stream().limit(MAX_SPANS).forEach(span -> lines.add(what + " " + span));
        if (spans.size() > MAX_SPANS) {
            lines.add(what + " " + (spans.size() - MAX_SPANS) + " more spans");
        }
    }
}
