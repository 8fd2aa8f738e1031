package io.sluice.sql;

import io.sluice.grammar.Expression;
import io.sluice.grammar.Expression.Aggregation;
import io.sluice.grammar.RowSink;
import io.sluice.grammar.Statement;
import io.sluice.grammar.Statement.Grouping;
import io.sluice.grammar.Statement.OrderKey;
import io.sluice.grammar.Statement.Output;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.Where;
import io.sluice.grammar.WhereSpans;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.TableDef;
import io.sluice.sql.query.Pipeline;
import io.sluice.sql.transaction.TableAccess;
import io.sluice.sql.transaction.Transaction;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Executes one SELECT: finds rows by the condition, and passes them through the steps behind it. */
final class SelectRun {
    private SelectRun() {}

    /** @param sink takes the rows; null: the result has them, within its limit of memory */
    static StatementResult run(
            Transaction transaction, Statement.Select statement, SqlSettings.Memory memory, @Nullable RowSink sink) {
        List<String> columns = statement.outputs().stream().map(Output::name).toList();
        if (sink == null) {
            ResultRows rows = new ResultRows(columns, memory.resultBytes());
            run(transaction, statement, memory.sortBytes(), rows::add);
            return rows.result();
        }
        sink.columns(columns);
        long[] count = {0};
        run(transaction, statement, memory.sortBytes(), row -> {
            transaction.ensureNotCancelled();
            sink.row(row);
            count[0]++;
            return true;
        });
        return new StatementResult.Returned(count[0]);
    }

    private static void run(
            Transaction transaction,
            Statement.Select statement,
            long sortBytes,
            Predicate<List<@Nullable String>> rows) {
        TableAccess table = transaction.require(statement.table().name());
        if (statement.limit() == 0) {
            return;
        }
        if (countsAll(statement)) {
            boolean unused = rows.test(List.of(Long.toString(count(table, statement.where()))));
            return;
        }
        Pipeline pipeline = new Pipeline(statement, inIndexOrder(statement), sortBytes, rows);
        Matching.rows(table, statement.where(), kv -> pipeline.add(table.decoded(kv)));
        pipeline.finish();
    }

    /** Whether the statement is {@code SELECT count(*)} of all rows in key spans, which needs no row. */
    static boolean countsAll(Statement.Select statement) {
        Grouping grouping = statement.grouping();
        return grouping != null
                && grouping.keys().isEmpty()
                && grouping.having() == null
                && statement.where().filter() == null
                && statement.offset() == 0
                && statement.outputs().size() == 1
                && statement.outputs().get(0).value() instanceof Expression.Slot
                && grouping.aggregates().size() == 1
                && grouping.aggregates().get(0).function() == Aggregation.COUNT
                && grouping.aggregates().get(0).argument() == null;
    }

    private static long count(TableAccess table, Where where) {
        long[] found = {0};
        for (KeySpan span : WhereSpans.of(table.table(), table.keys(), where)) {
            table.entries(where.ordinal(), span, entry -> {
                table.transaction().ensureNotCancelled();
                found[0]++;
                return true;
            });
        }
        return found[0];
    }

    /** Whether the index of the condition gives the rows in the order that the statement asks for. */
    static boolean inIndexOrder(Statement.Select statement) {
        Where where = statement.where();
        if (statement.grouping() != null) {
            return false;
        }
        TableDef table = statement.table();
        List<IndexColumn> index = table.indexes().get(where.ordinal()).columns();
        // Columns that equal one value in all rows do not matter for the order.
        int fixed = where.ranges().size() == 1 ? where.ranges().get(0).equal().size() : 0;
        int at = 0;
        for (OrderKey key : statement.order()) {
            if (!(key.value() instanceof Expression.Column column)) {
                return false;
            }
            while (at < fixed && at < index.size() && index.get(at).column() != column.column()) {
                at++;
            }
            if (at == index.size() || !ordersAs(table, index.get(at), column, key)) {
                return false;
            }
            at++;
        }
        return true;
    }

    private static boolean ordersAs(TableDef table, IndexColumn part, Expression.Column column, OrderKey key) {
        boolean descending = part.direction() == IndexColumn.Direction.DESC;
        Column declared = table.columns().get(column.column());
        // NULL is the first key of an index, and the last of a descending one.
        boolean nulls = !declared.nullable() || key.nullsFirst() != descending;
        return part.column() == column.column() && descending == key.descending() && nulls;
    }
}
