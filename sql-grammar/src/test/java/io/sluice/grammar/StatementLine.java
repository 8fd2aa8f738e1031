package io.sluice.grammar;

import io.sluice.model.schema.TableDef;
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
            String what = select.count()
                    ? "count"
                    : select.columns().stream()
                            .map(column -> select.table().columns().get(column).name())
                            .toList()
                            .toString();
            return "select " + what + " of " + select.table().name() + where(select.table(), select.where())
                    + (select.limit() == Long.MAX_VALUE ? "" : " limit " + select.limit());
        }
        if (statement instanceof Statement.Explain explain) {
            return "explain " + of(explain.statement());
        }
        return statement.toString();
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
        if (where.all()) {
            return "";
        }
        return where.ranges().stream()
                .map(range -> range.equal()
                        + (range.lower() == null ? "" : bound(" > ", range.lower()))
                        + (range.upper() == null ? "" : bound(" < ", range.upper())))
                .collect(Collectors.joining(
                        " or ", " by " + table.indexes().get(where.ordinal()).name() + " ", ""));
    }

    private static String bound(String sign, Where.Bound bound) {
        return sign + (bound.inclusive() ? "or = " : "") + bound.text();
    }

    private static String nothing(Statement.Write write) {
        return write.returningNothing() ? " (returning nothing)" : "";
    }
}
