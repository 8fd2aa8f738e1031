package io.sluice.grammar;

import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.statement.insert.Insert;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.Values;
import org.jspecify.annotations.Nullable;

/** Converts the syntax tree of an INSERT. */
final class InsertReader {
    private static final String FORM = "INSERT INTO t [(columns)] VALUES (…), (…) [RETURNING NOTHING]";

    private final Source source;

    InsertReader(Source source) {
        this.source = source;
    }

    Statement read(Insert tree) {
        Select rows = tree.getSelect();
        if (!(rows instanceof Values values)) {
            throw source.unsupported(rows, "rows must follow VALUES; " + FORM);
        }
        Insert taken = new Insert().withTable(tree.getTable()).withSelect(values);
        taken.setColumns(tree.getColumns());
        taken.setReturningClause(tree.getReturningClause());
        source.nothingElse(taken.toString(), tree.toString(), FORM);
        boolean returningNothing = source.returningNothing(tree.getReturningClause());

        TableDef table = source.table(tree.getTable());
        if (table.columns().stream().anyMatch(Column::hidden)) {
            throw source.unsupported(
                    tree.getTable(),
                    "table " + table.name() + " has no primary key: its rows are numbered by their places in the input,"
                            + " and a new one has none");
        }
        List<Integer> columns = columns(table, tree.getColumns());
        List<List<@Nullable String>> read = new ArrayList<>();
        for (Expression row : rowsOf(values)) {
            read.add(row(table, columns, row));
        }
        return new Statement.Insert(table, read, returningNothing);
    }

    private List<Integer> columns(TableDef table, @Nullable ExpressionList<net.sf.jsqlparser.schema.Column> named) {
        if (named == null) {
            return table.visibleColumns();
        }
        List<Integer> columns = new ArrayList<>();
        for (net.sf.jsqlparser.schema.Column name : named) {
            int column = source.column(table, name);
            if (columns.contains(column)) {
                throw source.refuse(SqlErrorCode.BAD_VALUE, name, "column " + name + " is named twice");
            }
            columns.add(column);
        }
        return columns;
    }

    /** Only the elements of a list tell a single row from a list of rows. */
    private static List<? extends Expression> rowsOf(Values values) {
        ExpressionList<?> list = values.getExpressions();
        boolean several = !list.isEmpty() && list.stream().allMatch(each -> each instanceof ExpressionList);
        return several ? list : List.of(list);
    }

    private List<@Nullable String> row(TableDef table, List<Integer> columns, Expression row) {
        if (!(row instanceof ParenthesedExpressionList<?> values)) {
            throw source.unsupported(row, "each row stands in parentheses; " + FORM);
        }
        if (values.size() != columns.size()) {
            throw source.refuse(
                    SqlErrorCode.BAD_VALUE,
                    values.isEmpty() ? null : values.get(0),
                    "a row has " + values.size() + " values for " + columns.size() + " columns");
        }
        List<@Nullable String> datums = new ArrayList<>();
        for (Column column : table.columns()) {
            datums.add(column.defaultText());
        }
        for (int i = 0; i < columns.size(); i++) {
            Column column = table.columns().get(columns.get(i));
            Expression value = values.get(i);
            if (!Source.isWord(value, "DEFAULT")) {
                datums.set(columns.get(i), source.literal(column, column.type(), value));
            }
        }
        for (int i = 0; i < datums.size(); i++) {
            Column column = table.columns().get(i);
            if (datums.get(i) == null && !column.nullable()) {
                throw source.refuse(
                        SqlErrorCode.NOT_NULL,
                        values.isEmpty() ? null : values.get(0),
                        "column " + column.name() + " of table " + table.name() + " must not be NULL; give it a value");
            }
        }
        return Collections.unmodifiableList(datums);
    }
}
