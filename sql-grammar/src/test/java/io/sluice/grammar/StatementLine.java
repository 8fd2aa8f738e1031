package io.sluice.grammar;

import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats statements on one line each, for review by eye. */
final class StatementLine {
    private StatementLine() {}

    static String of(Statement statement) {
        if (statement instanceof Statement.Insert insert) {
            return "insert " + insert.table().name() + " " + insert.rows() + nothing(insert);
        }
        if (statement instanceof Statement.Update update) {
            String set = update.assignments().stream()
                    .map(each -> assignment(update.table(), each))
                    .collect(Collectors.joining(", "));
            return "update " + update.table().name() + " set " + set + where(update.table(), update.where())
                    + nothing(update);
        }
        if (statement instanceof Statement.Delete delete) {
            return "delete " + delete.table().name() + where(delete.table(), delete.where()) + nothing(delete);
        }
        if (statement instanceof Statement.Select select) {
            TableDef table = select.table();
            Statement.Grouping grouping = select.grouping();
            return "select " + (select.distinct() ? "distinct " : "")
                    + outputs(table, select.outputs()) + " of " + table.name() + where(table, select.where())
                    + (grouping == null ? "" : grouping(table, grouping))
                    + select.order().stream()
                            .map(key -> " order " + value(table, key.value()) + (key.descending() ? " desc" : "")
                                    + (key.nullsFirst() ? " nulls first" : ""))
                            .collect(Collectors.joining())
                    + (select.limit() == Long.MAX_VALUE ? "" : " limit " + select.limit())
                    + (select.offset() == 0 ? "" : " offset " + select.offset());
        }
        if (statement instanceof Statement.Explain explain) {
            return "explain " + of(explain.statement());
        }
        return statement.toString();
    }

    private static String outputs(TableDef table, List<Statement.Output> outputs) {
        return outputs.stream()
                .map(output -> {
                    String value = value(table, output.value());
                    return value.equals(output.name()) ? value : value + " as " + output.name();
                })
                .toList()
                .toString();
    }

    private static String grouping(TableDef table, Statement.Grouping grouping) {
        List<String> values = new ArrayList<>();
        grouping.keys().forEach(key -> values.add(value(table, key)));
        grouping.aggregates().forEach(each -> values.add(value(table, each)));
        Expression having = grouping.having();
        return " group " + values + (having == null ? "" : " having " + value(table, having));
    }

    /** Formats an expression, operators before their operands. */
    private static String value(TableDef table, Expression value) {
        if (value instanceof Expression.Column column) {
            return table.columns().get(column.column()).name();
        }
        if (value instanceof Expression.Literal literal) {
            return literal.text() == null ? "null" : "'" + literal.text() + "'";
        }
        if (value instanceof Expression.Slot slot) {
            return "#" + slot.position();
        }
        String name = "";
        if (value instanceof Expression.Comparison comparison) {
            name = comparison.operator().symbol();
        } else if (value instanceof Expression.Junction junction) {
            name = junction.all() ? "and" : "or";
        } else if (value instanceof Expression.Call call) {
            boolean cast = call.function() == Expression.Function.CAST;
            name = call.function().name().toLowerCase(Locale.ROOT)
                    + (cast ? " " + call.type().sql() : "");
        } else if (value instanceof Expression.Aggregate aggregate) {
            name = aggregate.function().name().toLowerCase(Locale.ROOT) + (aggregate.distinct() ? " distinct" : "");
        }
        return "(" + name
                + value.operands().stream()
                        .map(each -> " " + value(table, each))
                        .collect(Collectors.joining()) + ")";
    }

    private static String assignment(TableDef table, Assignment assignment) {
        String target = table.columns().get(assignment.column()).name() + " = ";
        if (assignment instanceof Assignment.Literal literal) {
            return target + literal.text();
        }
        if (assignment instanceof Assignment.Copy copy) {
            return target + "column " + table.columns().get(copy.from()).name();
        }
        Assignment.Arithmetic sum = (Assignment.Arithmetic) assignment;
        return target + "column " + table.columns().get(sum.from()).name() + " "
                + sum.operator().symbol() + " " + sum.number();
    }

    private static String where(TableDef table, Where where) {
        Expression filter = where.filter();
        String tested = filter == null ? "" : " if " + value(table, filter);
        if (new Where(where.ordinal(), where.ranges()).equals(Where.ALL)) {
            return tested;
        }
        return where.ranges().stream()
                        .map(range -> range.equal()
                                + (range.lower() == null ? "" : bound(" > ", range.lower()))
                                + (range.upper() == null ? "" : bound(" < ", range.upper())))
                        .collect(Collectors.joining(
                                " or ",
                                " by " + table.indexes().get(where.ordinal()).name() + " ",
                                ""))
                + tested;
    }

    private static String bound(String sign, Where.Bound bound) {
        return sign + (bound.inclusive() ? "or = " : "") + bound.text();
    }

    private static String nothing(Statement.Write write) {
        return write.returningNothing()
                ? " (returning nothing)"
                : write.returning().outputs().isEmpty()
                        ? ""
                        : " (returning "
                                + outputs(write.table(), write.returning().outputs()) + ")";
    }
}
