package io.sluice.grammar;

import io.sluice.grammar.Expression.Call;
import io.sluice.grammar.Expression.Comparator;
import io.sluice.grammar.Expression.Comparison;
import io.sluice.grammar.Expression.Function;
import io.sluice.grammar.Expression.Junction;
import io.sluice.grammar.Expression.Literal;
import io.sluice.grammar.Where.Bound;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The conditions that must all hold, per column as far as an index can find the rows; {@link IndexChoice} then chooses
 * the index. A condition that no range covers stays a filter.
 */
final class Conditions {
    private final TableDef table;
    private final Map<Integer, ColumnCondition> byColumn = new HashMap<>();

    private Conditions(TableDef table) {
        this.table = table;
    }

    /** The conditions on one column that ranges of an index can have. */
    static final class ColumnCondition {
        /** Values that the column may equal, null for NULL; null without such a condition. */
        @Nullable
        List<@Nullable String> equal;

        @Nullable
        Bound lower;

        @Nullable
        Bound upper;

        /** The conditions that the fields above cover completely. */
        final Set<Expression> equalities = new HashSet<>();

        final Set<Expression> bounds = new HashSet<>();
    }

    /** Converts a condition to ranges of an index and a filter. */
    static Where where(TableDef table, @Nullable Expression condition) {
        if (condition == null) {
            return Where.ALL;
        }
        List<Expression> all =
                condition instanceof Junction junction && junction.all() ? flattened(junction) : List.of(condition);
        Conditions conditions = new Conditions(table);
        all.forEach(conditions::add);
        return IndexChoice.of(table, conditions.byColumn, all);
    }

    /** BETWEEN is a conjunction within the conjunction. */
    private static List<Expression> flattened(Junction junction) {
        List<Expression> flat = new ArrayList<>();
        for (Expression each : junction.operands()) {
            if (each instanceof Junction inner && inner.all()) {
                flat.addAll(flattened(inner));
            } else {
                flat.add(each);
            }
        }
        return flat;
    }

    private void add(Expression condition) {
        if (condition instanceof Comparison comparison) {
            comparison(comparison);
        } else if (condition instanceof Call call) {
            if (call.function() == Function.LIKE) {
                like(call);
            } else {
                equal(condition, valuesOf(condition));
            }
        } else if (condition instanceof Junction any && !any.all()) {
            equal(condition, valuesOfAny(any));
        }
    }

    /** A column, and the values that it equals. */
    private record Values(int column, List<@Nullable String> texts) {}

    private void equal(Expression condition, @Nullable Values values) {
        if (values == null) {
            return;
        }
        ColumnCondition of = of(values.column());
        if (of.equal == null) {
            of.equal = values.texts();
            of.equalities.add(condition);
        }
    }

    /** The values of {@code a = 1}, {@code a IN (1, 2)} or {@code a IS NULL}; null for another condition. */
    private @Nullable Values valuesOf(Expression condition) {
        if (condition instanceof Comparison comparison) {
            String text = text(comparison);
            return comparison.operator() == Comparator.EQUAL && text != null
                    ? new Values(((Expression.Column) comparison.left()).column(), List.of(text))
                    : null;
        }
        if (!(condition instanceof Call call)
                || call.operands().isEmpty()
                || !(call.operands().get(0) instanceof Expression.Column column)) {
            return null;
        }
        List<@Nullable String> texts = new ArrayList<>();
        if (call.function() == Function.IS_NULL) {
            // A NOT NULL column never has NULL, and a primary key cannot encode it: no row matches.
            if (table.columns().get(column.column()).nullable()) {
                texts.add(null);
            }
            return new Values(column.column(), texts);
        }
        if (call.function() != Function.IN) {
            return null;
        }
        for (Expression value : call.operands().subList(1, call.operands().size())) {
            if (!(value instanceof Literal literal) || !fits(column, literal)) {
                return null;
            }
            // No row equals NULL; IN with NULL is unknown where it is not true, which a filter does not pass either.
            if (literal.text() != null) {
                texts.add(literal.text());
            }
        }
        return new Values(column.column(), texts);
    }

    /** The values of conditions of which any may hold, if all are on one column. */
    private @Nullable Values valuesOfAny(Junction any) {
        List<@Nullable String> texts = new ArrayList<>();
        int column = -1;
        for (Expression each : any.operands()) {
            Values values = valuesOf(each);
            if (values == null || (column >= 0 && values.column() != column)) {
                return null;
            }
            column = values.column();
            texts.addAll(values.texts());
        }
        return new Values(column, texts);
    }

    private void comparison(Comparison comparison) {
        String text = text(comparison);
        if (text == null) {
            return;
        }
        ColumnCondition of = of(((Expression.Column) comparison.left()).column());
        switch (comparison.operator()) {
            case EQUAL -> equal(comparison, valuesOf(comparison));
            case LESS, LESS_OR_EQUAL -> {
                if (of.upper == null) {
                    of.upper = new Bound(text, comparison.operator() == Comparator.LESS_OR_EQUAL);
                    of.bounds.add(comparison);
                }
            }
            case GREATER, GREATER_OR_EQUAL -> {
                if (of.lower == null) {
                    of.lower = new Bound(text, comparison.operator() == Comparator.GREATER_OR_EQUAL);
                    of.bounds.add(comparison);
                }
            }
            default -> {
                // <> leaves two ranges; it stays a filter.
            }
        }
    }

    /** The literal that a column is compared with; null for another comparison. */
    private static @Nullable String text(Comparison comparison) {
        return comparison.left() instanceof Expression.Column column
                        && comparison.right() instanceof Literal literal
                        && fits(column, literal)
                ? literal.text()
                : null;
    }

    private static boolean fits(Expression.Column column, Literal literal) {
        ColumnType type = Literals.comparable(column.type());
        return literal.type().kind() == type.kind();
    }

    /** The texts that begin with the fixed part of a pattern are a range; the pattern itself stays a filter. */
    private void like(Call like) {
        if (!(like.operands().get(0) instanceof Expression.Column column)
                || column.type().kind() != TypeKind.STRING
                || !(like.operands().get(1) instanceof Literal pattern)
                || pattern.text() == null) {
            return;
        }
        String prefix = fixedPart(pattern.text());
        ColumnCondition of = of(column.column());
        if (prefix.isEmpty() || of.lower != null || of.upper != null) {
            return;
        }
        of.lower = new Bound(prefix, true);
        int last = prefix.codePointBefore(prefix.length());
        int next = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
        if (last < Character.MAX_CODE_POINT) {
            String before = prefix.substring(0, prefix.length() - Character.charCount(last));
            of.upper = new Bound(before + Character.toString(next), false);
        }
    }

    private static String fixedPart(String pattern) {
        int end = 0;
        while (end < pattern.length() && "%_\\".indexOf(pattern.charAt(end)) < 0) {
            end++;
        }
        return pattern.substring(0, end);
    }

    private ColumnCondition of(int column) {
        return byColumn.computeIfAbsent(column, none -> new ColumnCondition());
    }
}
