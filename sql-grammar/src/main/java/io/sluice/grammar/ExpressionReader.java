package io.sluice.grammar;

import io.sluice.grammar.Expression.Aggregate;
import io.sluice.grammar.Expression.Aggregation;
import io.sluice.grammar.Expression.Call;
import io.sluice.grammar.Expression.Comparator;
import io.sluice.grammar.Expression.Comparison;
import io.sluice.grammar.Expression.Function;
import io.sluice.grammar.Expression.Junction;
import io.sluice.grammar.Expression.Literal;
import io.sluice.grammar.Source.Given;
import io.sluice.grammar.Tokens.Token;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses expressions on the columns of one table. One method per level of precedence, weakest first, as PostgreSQL
 * orders them: OR, AND, NOT, IS, comparisons, BETWEEN IN LIKE, {@code ||}, {@code + -}, {@code * / %}, sign,
 * {@code ::}.
 */
final class ExpressionReader {
    /** Conditions and operators of a statement. */
    private static final int MAX_OPERATORS = 10_000;
    /** Operators whose left operand is an operator: evaluation recurses once for each. */
    private static final int MAX_CHAIN = 500;
    /** Nested CASE, NOT and signs; parentheses are limited by {@link SqlScript}. */
    private static final int MAX_NESTED = 32;

    private static final Map<String, Comparator> COMPARATORS = Map.of(
            "=", Comparator.EQUAL,
            "<>", Comparator.NOT_EQUAL,
            "!=", Comparator.NOT_EQUAL,
            "<", Comparator.LESS,
            "<=", Comparator.LESS_OR_EQUAL,
            ">", Comparator.GREATER,
            ">=", Comparator.GREATER_OR_EQUAL);

    private final Source source;
    private final Tokens tokens;
    private final TableDef table;
    private final ExpressionTypes types;
    private final boolean aggregates;
    private boolean inAggregate;
    private int operators;
    private int chain;
    private int nested;

    /**
     * Creates a reader.
     *
     * @param aggregates whether aggregate functions are permitted
     */
    ExpressionReader(Source source, TableDef table, boolean aggregates) {
        this.source = source;
        this.table = table;
        this.aggregates = aggregates;
        tokens = source.tokens();
        types = new ExpressionTypes(source, table);
    }

    /** Parses a value of any type. */
    Expression value() {
        return types.known(or());
    }

    /** Parses a condition. */
    Expression condition() {
        Token first = tokens.next();
        return types.bool(or(), first);
    }

    private Expression or() {
        Token first = tokens.next();
        Expression left = and();
        if (!tokens.isNext("or")) {
            return left;
        }
        List<Expression> any = new ArrayList<>();
        flatten(false, types.bool(left, first), any);
        while (tokens.take("or")) {
            count();
            Token next = tokens.next();
            flatten(false, types.bool(and(), next), any);
        }
        return new Junction(false, any);
    }

    private Expression and() {
        Token first = tokens.next();
        Expression left = not();
        if (!tokens.isNext("and")) {
            return left;
        }
        List<Expression> all = new ArrayList<>();
        flatten(true, types.bool(left, first), all);
        while (tokens.take("and")) {
            count();
            Token next = tokens.next();
            flatten(true, types.bool(not(), next), all);
        }
        return new Junction(true, all);
    }

    private static void flatten(boolean all, Expression operand, List<Expression> into) {
        if (operand instanceof Junction inner && inner.all() == all) {
            into.addAll(inner.operands());
        } else {
            into.add(operand);
        }
    }

    private Expression not() {
        if (!tokens.take("not")) {
            return is();
        }
        enter();
        Token first = tokens.next();
        Expression negated = ExpressionTypes.negated(types.bool(not(), first));
        nested--;
        return negated;
    }

    private Expression is() {
        Token first = tokens.next();
        Expression left = comparison();
        while (tokens.take("is")) {
            chained();
            boolean negated = tokens.take("not");
            Expression test;
            if (tokens.take("null")) {
                test = new Call(Function.IS_NULL, Expression.BOOL, List.of(types.known(left)));
            } else if (tokens.isNext("true") || tokens.isNext("false")) {
                Expression wanted =
                        new Literal(Expression.BOOL, tokens.take().image().toLowerCase(Locale.ROOT));
                Expression known = new Call(
                        Function.COALESCE,
                        Expression.BOOL,
                        List.of(
                                new Comparison(Comparator.EQUAL, types.bool(left, first), wanted),
                                new Literal(Expression.BOOL, "false")));
                test = known;
            } else {
                throw tokens.unexpected("IS is followed by NULL, TRUE or FALSE, or NOT and one of them");
            }
            left = negated ? ExpressionTypes.negated(test) : test;
        }
        return left;
    }

    private Expression comparison() {
        Token first = tokens.next();
        Expression left = range();
        Comparator operator = COMPARATORS.get(tokens.next().image());
        if (operator == null || tokens.next().kind() != Tokens.Kind.SYMBOL) {
            return left;
        }
        count();
        tokens.take();
        Expression right = range();
        if (COMPARATORS.containsKey(tokens.next().image()) && tokens.next().kind() == Tokens.Kind.SYMBOL) {
            throw tokens.unexpected("comparisons do not chain; join them with AND");
        }
        return types.comparison(operator, left, right, first);
    }

    private Expression range() {
        Token first = tokens.next();
        Expression left = concat();
        while (true) {
            int before = tokens.position();
            boolean negated = tokens.take("not");
            Expression test;
            if (tokens.take("between")) {
                test = between(left, first);
            } else if (tokens.take("in")) {
                test = in(left, first);
            } else if (tokens.take("like")) {
                Expression pattern = concat();
                test = new Call(
                        Function.LIKE, Expression.BOOL, List.of(types.text(left, first), types.text(pattern, first)));
            } else {
                tokens.moveTo(before);
                return left;
            }
            chained();
            left = negated ? ExpressionTypes.negated(test) : test;
        }
    }

    private Expression between(Expression left, Token first) {
        Expression low = concat();
        tokens.expect("and");
        Expression high = concat();
        return new Junction(
                true,
                List.of(
                        types.comparison(Comparator.GREATER_OR_EQUAL, left, low, first),
                        types.comparison(Comparator.LESS_OR_EQUAL, left, high, first)));
    }

    private Expression in(Expression left, Token first) {
        if (!tokens.isNext("(") || tokens.isNext("(", "select")) {
            throw source.unsupported(tokens.next(), "IN takes values in parentheses, such as (1, 2)");
        }
        tokens.take();
        List<Expression> values = new ArrayList<>();
        do {
            count();
            values.add(or());
        } while (tokens.take(","));
        tokens.expect(")");
        return types.in(left, values, first);
    }

    private Expression concat() {
        Token first = tokens.next();
        Expression left = sum();
        while (tokens.take("||")) {
            chained();
            left = types.concat(left, sum(), first);
        }
        return left;
    }

    private Expression sum() {
        Token first = tokens.next();
        Expression left = product();
        while (tokens.isNext("+") || tokens.isNext("-")) {
            chained();
            Function function = tokens.take().is("+") ? Function.ADD : Function.SUBTRACT;
            left = types.arithmetic(function, left, product(), first);
        }
        return left;
    }

    private Expression product() {
        Token first = tokens.next();
        Expression left = signed();
        while (tokens.isNext("*") || tokens.isNext("/") || tokens.isNext("%")) {
            chained();
            Token operator = tokens.take();
            Function function =
                    operator.is("*") ? Function.MULTIPLY : operator.is("/") ? Function.DIVIDE : Function.REMAINDER;
            left = types.arithmetic(function, left, signed(), first);
        }
        return left;
    }

    private Expression signed() {
        Token first = tokens.next();
        boolean sign = first.is("-") || first.is("+");
        if (!sign || tokens.peek(1).kind() == Tokens.Kind.NUMBER) {
            return casts();
        }
        enter();
        tokens.take();
        Expression operand = signed();
        nested--;
        Expression factor = new Literal(Expression.INT8, first.is("-") ? "-1" : "1");
        return types.arithmetic(Function.MULTIPLY, factor, operand, first);
    }

    private Expression casts() {
        Expression left = primary();
        while (tokens.take("::")) {
            chained();
            left = types.cast(left, type());
        }
        return left;
    }

    private Expression primary() {
        Token first = tokens.next();
        if (tokens.take("(")) {
            if (tokens.isNext("select")) {
                throw source.unsupported(tokens.next(), "statements cannot be nested");
            }
            Expression inner = or();
            tokens.expect(")");
            return inner;
        }
        if (tokens.take("case")) {
            return caseOf();
        }
        if (tokens.take("cast")) {
            tokens.expect("(");
            Expression operand = or();
            tokens.expect("as");
            ColumnType type = type();
            tokens.expect(")");
            return types.cast(operand, type);
        }
        Given given = source.given();
        if (given != null) {
            return types.literal(given);
        }
        if (first.isName() && tokens.peek(1).is("(")) {
            return function(first);
        }
        if (!first.isName() || Source.isReserved(first)) {
            throw tokens.unexpected("expected a value: a column, a literal or an expression");
        }
        int column = source.column(table);
        return new Expression.Column(column, table.columns().get(column).type());
    }

    /** {@code CASE [value] WHEN … THEN … [ELSE …] END}. */
    private Expression caseOf() {
        enter();
        Token at = tokens.next();
        Expression subject = tokens.isNext("when") ? null : or();
        List<Expression> conditions = new ArrayList<>();
        List<Expression> values = new ArrayList<>();
        while (tokens.take("when")) {
            count();
            Token first = tokens.next();
            Expression when = or();
            conditions.add(
                    subject == null
                            ? types.bool(when, first)
                            : types.comparison(Comparator.EQUAL, subject, when, first));
            tokens.expect("then");
            values.add(or());
        }
        if (conditions.isEmpty()) {
            throw tokens.unexpected("expected WHEN");
        }
        values.add(tokens.take("else") ? or() : ExpressionTypes.NULL);
        tokens.expect("end");
        nested--;
        List<Expression> same = types.unified(values, at);
        List<Expression> operands = new ArrayList<>();
        for (int i = 0; i < conditions.size(); i++) {
            operands.add(conditions.get(i));
            operands.add(same.get(i));
        }
        operands.add(same.get(same.size() - 1));
        return new Call(Function.CASE, ExpressionTypes.plain(same.get(0).type()), operands);
    }

    private Expression function(Token name) {
        tokens.take();
        tokens.expect("(");
        count();
        Aggregation aggregation = aggregation(name.name());
        Expression call;
        if (aggregation != null) {
            call = aggregate(name, aggregation);
        } else {
            List<Expression> operands = new ArrayList<>();
            if (!tokens.isNext(")")) {
                do {
                    operands.add(or());
                } while (tokens.take(","));
            }
            tokens.expect(")");
            call = types.function(name, operands);
        }
        if (tokens.isNext("over") || tokens.isNext("filter")) {
            throw source.unsupported(tokens.next(), "window functions and FILTER are not supported; use CASE");
        }
        return call;
    }

    private static @Nullable Aggregation aggregation(String name) {
        return switch (name) {
            case "count" -> Aggregation.COUNT;
            case "sum" -> Aggregation.SUM;
            case "min" -> Aggregation.MIN;
            case "max" -> Aggregation.MAX;
            case "avg" -> Aggregation.AVG;
            default -> null;
        };
    }

    private Aggregate aggregate(Token name, Aggregation function) {
        if (!aggregates || inAggregate) {
            throw source.unsupported(
                    name,
                    inAggregate
                            ? "aggregates cannot be nested"
                            : name.image() + " computes from groups of rows; it stands in a SELECT list, in HAVING or"
                                    + " in ORDER BY");
        }
        boolean distinct = tokens.take("distinct");
        if (!distinct && function == Aggregation.COUNT && tokens.take("*", ")")) {
            return new Aggregate(function, null, false, Expression.INT8);
        }
        inAggregate = true;
        Expression argument = types.known(or());
        inAggregate = false;
        tokens.expect(")");
        return types.aggregate(function, argument, distinct, name);
    }

    /** Parses the name of a type. */
    private ColumnType type() {
        Token first = tokens.expectName("a type");
        if (first.is("double")) {
            tokens.expect("precision");
        }
        if (tokens.take("(")) {
            do {
                tokens.take();
            } while (tokens.take(","));
            tokens.expect(")");
        }
        if (!tokens.take("with", "time", "zone")) {
            tokens.take("without", "time", "zone");
        }
        if (tokens.take("[")) {
            tokens.expect("]");
        }
        return types.named(first, tokens.shownFrom(first));
    }

    private void count() {
        if (++operators > MAX_OPERATORS) {
            throw source.unsupported(
                    tokens.next(), "the statement has more than " + MAX_OPERATORS + " conditions and operators");
        }
    }

    private void chained() {
        count();
        if (++chain > MAX_CHAIN) {
            throw source.unsupported(
                    tokens.next(), "the statement has too many operators: at most " + MAX_CHAIN + " beside AND and OR");
        }
    }

    private void enter() {
        count();
        if (++nested > MAX_NESTED) {
            throw source.unsupported(tokens.next(), "more than " + MAX_NESTED + " NOT, CASE or signs are nested");
        }
    }
}
