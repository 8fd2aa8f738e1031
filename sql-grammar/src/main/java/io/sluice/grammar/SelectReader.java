package io.sluice.grammar;

import io.sluice.grammar.Source.Given;
import io.sluice.grammar.Statement.Grouping;
import io.sluice.grammar.Statement.OrderKey;
import io.sluice.grammar.Statement.Output;
import io.sluice.grammar.Tokens.Token;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses a SELECT, and lists of values such as those of RETURNING. */
final class SelectReader {
    private static final String FORM = "SELECT [DISTINCT] values FROM t [WHERE condition] [GROUP BY values]"
            + " [HAVING condition] [ORDER BY values] [LIMIT n] [OFFSET n]";
    private static final Pattern ROWS = Pattern.compile("[0-9]+");

    private static final String UNNAMED = "?column?";

    private final Source source;
    private final Tokens tokens;
    private final TableDef table;
    /** The first token of each output, for errors. */
    private final List<Token> places = new ArrayList<>();

    private SelectReader(Source source, TableDef table) {
        this.source = source;
        this.table = table;
        tokens = source.tokens();
    }

    /** Parses a SELECT; the cursor is behind that word. */
    static Statement read(Source source) {
        Tokens tokens = source.tokens();
        int start = tokens.position();
        skipTo(tokens, "from");
        if (!tokens.take("from")) {
            throw source.unsupported(tokens.next(), "rows are read from a table; the form is: " + FORM);
        }
        if (tokens.isNext("(")) {
            throw source.unsupported(tokens.next(), "rows are read from one table; the form is: " + FORM);
        }
        TableDef table = source.table(FORM);
        int behind = tokens.position();
        tokens.moveTo(start);
        return new SelectReader(source, table).select(behind);
    }

    /** Moves to a word outside of parentheses. */
    private static void skipTo(Tokens tokens, String word) {
        int depth = 0;
        while (!tokens.atEnd() && !(depth == 0 && tokens.isNext(word))) {
            depth += tokens.isNext("(") ? 1 : tokens.isNext(")") ? -1 : 0;
            tokens.take();
        }
    }

    /** Parses the values of RETURNING. */
    static List<Output> returning(Source source, TableDef table) {
        return new SelectReader(source, table).outputs(false);
    }

    private Statement select(int behindTable) {
        boolean distinct = tokens.take("distinct");
        if (distinct && tokens.isNext("on")) {
            throw source.unsupported(tokens.next(), "DISTINCT ON is not supported; the form is: " + FORM);
        }
        boolean unused = !distinct && tokens.take("all");
        List<Output> outputs = outputs(true);
        if (!tokens.isNext("from")) {
            throw tokens.unexpected("expected a comma or FROM");
        }
        tokens.moveTo(behindTable);
        Expression where = tokens.take("where") ? new ExpressionReader(source, table, false).condition() : null;
        List<Expression> keys = new ArrayList<>();
        boolean grouped = tokens.take("group", "by");
        if (grouped) {
            do {
                keys.add(named(outputs, true).value());
            } while (tokens.take(","));
        }
        Token atHaving = tokens.next();
        Expression having = tokens.take("having") ? new ExpressionReader(source, table, true).condition() : null;
        List<OrderKey> order = tokens.take("order", "by") ? order(outputs) : List.of();
        long limit = Long.MAX_VALUE;
        long offset = 0;
        for (int i = 0; i < 2; i++) {
            if (tokens.take("limit")) {
                limit = tokens.take("all") ? Long.MAX_VALUE : rows("LIMIT");
            } else if (tokens.take("offset")) {
                offset = rows("OFFSET");
                boolean unusedWord = tokens.take("rows") || tokens.take("row");
            }
        }
        source.end(FORM);
        Where found = Conditions.where(table, where);
        boolean groups = grouped
                || having != null
                || outputs.stream().anyMatch(each -> hasAggregate(each.value()))
                || order.stream().anyMatch(each -> hasAggregate(each.value()));
        Groups values = groups ? new Groups(keys) : null;
        List<Output> shown = values == null ? outputs : values.outputs(outputs);
        List<OrderKey> sorted = values == null ? order : values.order(order);
        Grouping grouping = values == null ? null : values.grouping(having, atHaving);
        if (distinct) {
            requireShown(shown, sorted);
        }
        return new Statement.Select(table, found, shown, grouping, distinct, sorted, limit, offset);
    }

    private void requireShown(List<Output> outputs, List<OrderKey> order) {
        for (OrderKey key : order) {
            if (outputs.stream().noneMatch(output -> output.value().equals(key.value()))) {
                throw source.unsupported(
                        tokens.next(), "with DISTINCT, ORDER BY takes values that are in the SELECT list");
            }
        }
    }

    private List<Output> outputs(boolean aggregates) {
        List<Output> outputs = new ArrayList<>();
        do {
            Token first = tokens.next();
            if (tokens.take("*")) {
                for (int column : table.visibleColumns()) {
                    add(outputs, first, column(column));
                }
                continue;
            }
            Expression value = new ExpressionReader(source, table, aggregates).value();
            String name = name(value);
            if (tokens.take("as")) {
                name = tokens.expectName("a name").name();
            } else if (tokens.next().isName() && !Source.isReserved(tokens.next())) {
                name = tokens.take().name();
            }
            add(outputs, first, new Output(name, value));
        } while (tokens.take(","));
        return outputs;
    }

    private void add(List<Output> outputs, Token first, Output output) {
        outputs.add(output);
        places.add(first);
    }

    private Output column(int position) {
        Column column = table.columns().get(position);
        return new Output(column.name(), new Expression.Column(position, column.type()));
    }

    /** A column without a name of its own has that of its column or function, as in PostgreSQL. */
    private String name(Expression value) {
        if (value instanceof Expression.Column column) {
            return table.columns().get(column.column()).name();
        }
        if (value instanceof Expression.Aggregate aggregate) {
            return aggregate.function().name().toLowerCase(Locale.ROOT);
        }
        if (!(value instanceof Expression.Call call)) {
            return UNNAMED;
        }
        return switch (call.function()) {
            case CAST -> name(call.operands().get(0));
            case CASE -> {
                String otherwise = name(call.operands().get(call.operands().size() - 1));
                yield otherwise.equals(UNNAMED) ? "case" : otherwise;
            }
            case COALESCE, NULLIF, ABS, LENGTH, LOWER, UPPER ->
                call.function().name().toLowerCase(Locale.ROOT);
            default -> UNNAMED;
        };
    }

    private List<OrderKey> order(List<Output> outputs) {
        List<OrderKey> order = new ArrayList<>();
        do {
            Expression value = named(outputs, false).value();
            boolean descending = tokens.take("desc");
            boolean unused = !descending && tokens.take("asc");
            boolean nullsFirst = descending;
            if (tokens.take("nulls")) {
                nullsFirst = tokens.take("first");
                if (!nullsFirst) {
                    tokens.expect("last");
                }
            }
            order.add(new OrderKey(value, descending, nullsFirst));
        } while (tokens.take(","));
        return order;
    }

    /**
     * Parses a value of GROUP BY or ORDER BY: the number of an output, its name, or an expression. Parentheses around a
     * number or a name do not count, as in PostgreSQL.
     *
     * @param columnFirst whether a name is that of a column if there is one, as in GROUP BY
     */
    private Output named(List<Output> outputs, boolean columnFirst) {
        int open = 0;
        while (tokens.peek(open).is("(")) {
            open++;
        }
        Token first = tokens.peek(open);
        int close = 0;
        while (close < open && tokens.peek(open + 1 + close).is(")")) {
            close++;
        }
        Token after = tokens.peek(open + 1 + close);
        boolean alone = close == open
                && (after.is(",") || after.kind() == Tokens.Kind.END || Source.isReserved(after) || after.is("nulls"));
        int behind = tokens.position() + 2 * open + 1;
        if (first.kind() == Tokens.Kind.NUMBER && alone) {
            tokens.moveTo(behind);
            int number = ROWS.matcher(first.image()).matches() && first.image().length() < 6
                    ? Integer.parseInt(first.image())
                    : 0;
            if (number < 1 || number > outputs.size()) {
                throw source.refuse(
                        SqlErrorCode.BAD_VALUE,
                        first,
                        first.image() + " is no column of the result; it has " + outputs.size());
            }
            return outputs.get(number - 1);
        }
        if (first.isName()
                && !Source.isReserved(first)
                && alone
                && !(columnFirst && table.columnIndex(first.name()) >= 0)) {
            List<Output> found = outputs.stream()
                    .filter(output -> output.name().equals(first.name()))
                    .toList();
            if (found.stream().map(Output::value).distinct().count() > 1) {
                throw source.refuse(
                        SqlErrorCode.UNKNOWN_NAME,
                        first,
                        first.image() + " names several columns of the result; use their numbers, or AS");
            }
            if (!found.isEmpty()) {
                tokens.moveTo(behind);
                return found.get(0);
            }
        }
        return new Output("", new ExpressionReader(source, table, !columnFirst).value());
    }

    private static boolean hasAggregate(Expression value) {
        return value instanceof Expression.Aggregate
                || value.operands().stream().anyMatch(SelectReader::hasAggregate);
    }

    private long rows(String word) {
        Token at = tokens.next();
        Given given = source.given();
        String rows = given == null ? null : given.text();
        if (given == null) {
            throw source.unsupported(at, word + " takes a number of rows and nothing else");
        }
        if (rows == null || !ROWS.matcher(rows).matches()) {
            throw source.refuse(SqlErrorCode.BAD_VALUE, at, word + " " + rows + " is no number of rows");
        }
        try {
            return Long.parseLong(rows);
        } catch (NumberFormatException e) {
            throw source.refuse(SqlErrorCode.BAD_VALUE, at, word + " " + rows + " is too large");
        }
    }

    /** Converts expressions on rows to expressions on the values of groups. */
    private final class Groups {
        private final List<Expression> keys;
        private final Map<Expression, Expression> slots = new HashMap<>();
        private final List<Expression.Aggregate> aggregates = new ArrayList<>();

        Groups(List<Expression> keys) {
            this.keys = keys;
            for (int i = 0; i < keys.size(); i++) {
                slots.putIfAbsent(
                        keys.get(i), new Expression.Slot(i, keys.get(i).type()));
            }
        }

        List<Output> outputs(List<Output> outputs) {
            List<Output> converted = new ArrayList<>();
            for (int i = 0; i < outputs.size(); i++) {
                converted.add(new Output(
                        outputs.get(i).name(), converted(outputs.get(i).value(), places.get(i))));
            }
            return converted;
        }

        List<OrderKey> order(List<OrderKey> order) {
            Token end = tokens.next();
            return order.stream()
                    .map(key -> new OrderKey(converted(key.value(), end), key.descending(), key.nullsFirst()))
                    .toList();
        }

        Grouping grouping(@Nullable Expression having, Token at) {
            Expression condition = having == null ? null : converted(having, at);
            return new Grouping(keys, aggregates, condition);
        }

        private Expression converted(Expression value, Token at) {
            Expression known = slots.get(value);
            if (known != null) {
                return known;
            }
            if (value instanceof Expression.Aggregate aggregate) {
                Expression slot = new Expression.Slot(keys.size() + aggregates.size(), aggregate.type());
                aggregates.add(aggregate);
                slots.put(value, slot);
                return slot;
            }
            if (value instanceof Expression.Column column) {
                throw source.unsupported(
                        at,
                        "column " + table.columns().get(column.column()).name()
                                + " has several values in a group; add it to GROUP BY, or use min or max");
            }
            return value.map(operand -> converted(operand, at));
        }
    }
}
