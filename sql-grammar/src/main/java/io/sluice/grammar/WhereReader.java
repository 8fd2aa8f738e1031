package io.sluice.grammar;

import io.sluice.grammar.Where.Bound;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.conditional.AndExpression;
import net.sf.jsqlparser.expression.operators.relational.Between;
import net.sf.jsqlparser.expression.operators.relational.ComparisonOperator;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.IsNullExpression;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import org.jspecify.annotations.Nullable;

/** Converts the conditions of a WHERE clause per column; {@link IndexChoice} then chooses the index. */
final class WhereReader {
    private static final String FORM =
            "supported are =, <, <=, >, >=, BETWEEN, IN and IS NULL between a column and literals, joined by AND";

    private final Source source;
    private final TableDef table;
    private final Map<Integer, ColumnCondition> conditions = new LinkedHashMap<>();

    WhereReader(Source source, TableDef table) {
        this.source = source;
        this.table = table;
    }

    /** The conditions on one column. */
    static final class ColumnCondition {
        /**
         * Values that the column may equal, null for NULL; empty if no row can match; null without an equality
         * condition.
         */
        @Nullable
        List<@Nullable String> equal;

        @Nullable
        Bound lower;

        @Nullable
        Bound upper;
    }

    Where read(@Nullable Expression where) {
        if (where == null) {
            return Where.ALL;
        }
        conjuncts(where);
        return new IndexChoice(source, table, conditions).choose();
    }

    private void conjuncts(Expression first) {
        // Long chains of AND are left-deep trees; an explicit stack avoids recursion.
        List<Expression> left = new ArrayList<>(List.of(first));
        while (!left.isEmpty()) {
            Expression each = left.remove(left.size() - 1);
            if (each instanceof AndExpression and) {
                left.add(and.getRightExpression());
                left.add(and.getLeftExpression());
            } else if (each instanceof ParenthesedExpressionList<?> list && list.size() == 1) {
                left.add(list.get(0));
            } else if (each instanceof InExpression in) {
                exactly(in, in.getLeftExpression() + " IN " + in.getRightExpression());
                in(in.getLeftExpression(), listOf(in.getRightExpression(), left));
            } else {
                condition(each);
            }
        }
    }

    /**
     * Returns the list of an IN. JSqlParser puts the conditions after {@code a IN (1, 2) AND …} into the list; this
     * method moves them back to the conditions.
     */
    private static Expression listOf(Expression right, List<Expression> conditions) {
        Expression list = right;
        while (list instanceof AndExpression and) {
            conditions.add(and.getRightExpression());
            list = and.getLeftExpression();
        }
        return list;
    }

    private void condition(Expression each) {
        if (each instanceof ComparisonOperator comparison) {
            comparison(comparison);
        } else if (each instanceof Between between) {
            between(between);
        } else if (each instanceof IsNullExpression isNull) {
            isNull(isNull);
        } else {
            throw source.unsupported(each, "'" + Source.shown(each) + "' is not supported; " + FORM);
        }
    }

    private void comparison(ComparisonOperator comparison) {
        Expression left = comparison.getLeftExpression();
        Expression right = comparison.getRightExpression();
        String operator = comparison.getStringExpression();
        exactly(comparison, left + " " + operator + " " + right);
        boolean turned = Source.isLiteral(left);
        int column = source.column(table, turned ? right : left);
        String text = literal(column, turned ? left : right);
        switch (turned ? turned(operator) : operator) {
            case "=" -> equal(comparison, column, List.of(text));
            case "<" -> upper(comparison, column, new Bound(text, false));
            case "<=" -> upper(comparison, column, new Bound(text, true));
            case ">" -> lower(comparison, column, new Bound(text, false));
            case ">=" -> lower(comparison, column, new Bound(text, true));
            default ->
                throw source.unsupported(comparison, "'" + Source.shown(comparison) + "' is not supported; " + FORM);
        }
    }

    /** Returns the equivalent operator for exchanged operands. */
    private static String turned(String operator) {
        return switch (operator) {
            case "<" -> ">";
            case "<=" -> ">=";
            case ">" -> "<";
            case ">=" -> "<=";
            default -> operator;
        };
    }

    private void between(Between between) {
        Expression low = between.getBetweenExpressionStart();
        Expression high = between.getBetweenExpressionEnd();
        exactly(between, between.getLeftExpression() + " BETWEEN " + low + " AND " + high);
        int column = source.column(table, between.getLeftExpression());
        lower(between, column, new Bound(literal(column, low), true));
        upper(between, column, new Bound(literal(column, high), true));
    }

    private void in(Expression left, Expression right) {
        if (!(right instanceof ParenthesedExpressionList<?> list)) {
            throw source.unsupported(left, "'" + Source.shown(right) + "': IN takes literals in parentheses");
        }
        int column = source.column(table, left);
        List<@Nullable String> texts = new ArrayList<>();
        for (Expression value : list) {
            texts.add(literal(column, value));
        }
        equal(left, column, texts);
    }

    private void isNull(IsNullExpression isNull) {
        exactly(isNull, isNull.getLeftExpression() + " IS NULL");
        int column = source.column(table, isNull.getLeftExpression());
        // A NOT NULL column never has NULL, and a primary key cannot encode it: no row matches.
        List<@Nullable String> values = new ArrayList<>();
        if (table.columns().get(column).nullable()) {
            values.add(null);
        }
        equal(isNull, column, values);
    }

    private String literal(int column, Expression expression) {
        Column compared = table.columns().get(column);
        String text = source.literal(compared, Literals.comparable(compared.type()), expression);
        if (text == null) {
            throw source.unsupported(expression, "no comparison with NULL is ever true; write IS NULL");
        }
        return text;
    }

    private ColumnCondition of(int column) {
        return conditions.computeIfAbsent(column, none -> new ColumnCondition());
    }

    private void equal(Expression at, int column, List<@Nullable String> texts) {
        ColumnCondition condition = of(column);
        once(at, column, condition.equal == null && condition.lower == null && condition.upper == null);
        condition.equal = texts;
    }

    private void lower(Expression at, int column, Bound bound) {
        ColumnCondition condition = of(column);
        once(at, column, condition.equal == null && condition.lower == null);
        condition.lower = bound;
    }

    private void upper(Expression at, int column, Bound bound) {
        ColumnCondition condition = of(column);
        once(at, column, condition.equal == null && condition.upper == null);
        condition.upper = bound;
    }

    private void once(Expression at, int column, boolean first) {
        if (!first) {
            throw source.unsupported(
                    at,
                    "column " + table.columns().get(column).name() + " has more than one such condition; leave one");
        }
    }

    private void exactly(Expression tree, String taken) {
        if (!tree.toString().equals(taken)) {
            throw source.unsupported(tree, "'" + Source.shown(tree) + "' is not supported; " + FORM);
        }
    }
}
