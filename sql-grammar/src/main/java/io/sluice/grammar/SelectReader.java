package io.sluice.grammar;

import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.JdbcParameter;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.Limit;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.SelectItem;
import org.jspecify.annotations.Nullable;

/** Converts the syntax tree of a SELECT. */
final class SelectReader {
    private static final String FORM = "SELECT * | columns | count(*) FROM t [WHERE conditions on an index] [LIMIT n];"
            + " rows come in the order of the index that the conditions are on";
    private static final String COUNT = "count(*)";
    private static final Pattern ROWS = Pattern.compile("[0-9]+");

    private final Source source;

    SelectReader(Source source) {
        this.source = source;
    }

    Statement read(PlainSelect tree) {
        if (!(tree.getFromItem() instanceof Table named)) {
            throw source.unsupported(tree.getFromItem(), "rows are read from one table; " + FORM);
        }
        PlainSelect taken = new PlainSelect();
        taken.setSelectItems(tree.getSelectItems());
        taken.setFromItem(named);
        taken.setWhere(tree.getWhere());
        taken.setLimit(tree.getLimit());
        source.nothingElse(taken.toString(), tree.toString(), FORM);
        TableDef table = source.table(named);
        boolean count = tree.getSelectItems().size() == 1
                && tree.getSelectItems().get(0).toString().equalsIgnoreCase(COUNT);
        return new Statement.Select(
                table,
                count ? List.of() : columns(table, tree.getSelectItems()),
                count,
                new WhereReader(source, table).read(tree.getWhere()),
                limit(tree.getLimit()));
    }

    private List<Integer> columns(TableDef table, List<SelectItem<?>> items) {
        List<Integer> columns = new ArrayList<>();
        for (SelectItem<?> item : items) {
            Expression what = item.getExpression();
            if (what instanceof AllColumns && item.toString().equals("*")) {
                columns.addAll(table.visibleColumns());
            } else if (item.getAlias() == null) {
                columns.add(source.column(table, what));
            } else {
                throw source.unsupported(item, "'" + Source.shown(item) + "': columns are shown under their own names");
            }
        }
        return columns;
    }

    private long limit(@Nullable Limit limit) {
        if (limit == null) {
            return Long.MAX_VALUE;
        }
        Expression count = limit.getRowCount();
        boolean given = count instanceof JdbcParameter;
        if (!(given || count instanceof LongValue) || !limit.toString().strip().equalsIgnoreCase("LIMIT " + count)) {
            throw source.unsupported(limit, "LIMIT takes a number of rows and nothing else");
        }
        String rows = given ? source.parameter((JdbcParameter) count) : count.toString();
        if (rows == null || !ROWS.matcher(rows).matches()) {
            throw source.refuse(SqlErrorCode.BAD_VALUE, limit, "LIMIT " + rows + " is no number of rows");
        }
        try {
            return Long.parseLong(rows);
        } catch (NumberFormatException e) {
            throw source.refuse(SqlErrorCode.BAD_VALUE, limit, "LIMIT " + rows + " is too large");
        }
    }
}
