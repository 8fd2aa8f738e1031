package io.sluice.sql.query;

import io.sluice.grammar.Expression;
import io.sluice.grammar.Statement;
import io.sluice.grammar.Statement.Grouping;
import io.sluice.grammar.Statement.OrderKey;
import io.sluice.grammar.Statement.Output;
import io.sluice.model.row.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a SELECT behind its condition: group, compute, remove equal rows, sort, skip, limit. Not thread-safe.
 *
 * <p>Rows pass through one by one. GROUP BY, DISTINCT and ORDER BY keep what they need in memory, within one budget.
 */
public final class Pipeline {
    private final Statement.Select select;
    private final Predicate<List<@Nullable String>> result;
    private final MemoryBudget memory;
    private final RowValues input;
    private final Outputs outputs;
    private final @Nullable Groups groups;
    private final @Nullable Sorter sorter;
    private final @Nullable Set<List<@Nullable Object>> distinct;
    private long skipped;
    private long returned;

    /**
     * Creates the steps.
     *
     * @param sorted whether rows come in the order that the statement asks for
     * @param maxBytes memory to group and sort rows
     * @param result takes the rows of the result; returns false if it needs no more
     */
    public Pipeline(Statement.Select select, boolean sorted, long maxBytes, Predicate<List<@Nullable String>> result) {
        this.select = select;
        this.result = result;
        memory = new MemoryBudget(maxBytes);
        input = new RowValues(onRows(select));
        outputs = new Outputs(select.outputs());
        Grouping grouping = select.grouping();
        groups = grouping == null ? null : new Groups(grouping, memory);
        boolean sort = !select.order().isEmpty() && !sorted;
        long most =
                select.limit() > Long.MAX_VALUE - select.offset() ? Long.MAX_VALUE : select.limit() + select.offset();
        sorter = sort ? new Sorter(select.order(), most, memory) : null;
        distinct = select.distinct() ? new HashSet<>() : null;
    }

    /** The expressions that are computed from rows of the table. */
    private static List<Expression> onRows(Statement.Select select) {
        Grouping grouping = select.grouping();
        List<Expression> expressions = new ArrayList<>();
        if (grouping == null) {
            select.outputs().stream().map(Output::value).forEach(expressions::add);
            select.order().stream().map(OrderKey::value).forEach(expressions::add);
        } else {
            expressions.addAll(grouping.keys());
            expressions.addAll(grouping.aggregates());
        }
        return expressions;
    }

    /** Adds a row of the table; returns false if the result needs no more. */
    public boolean add(Row row) {
        @Nullable Object[] values = input.of(row);
        if (groups != null) {
            groups.add(values);
            return true;
        }
        return computed(values);
    }

    /** Returns the rows that were kept back. */
    public void finish() {
        if (groups != null) {
            groups.forEach(this::computed);
        }
        if (sorter != null) {
            for (@Nullable Object[] row : sorter.sorted()) {
                if (!returned(row)) {
                    return;
                }
            }
        }
    }

    private boolean computed(@Nullable Object[] values) {
        @Nullable Object[] row = outputs.values(values);
        if (distinct != null && !isNew(row)) {
            return true;
        }
        if (sorter != null) {
            sorter.add(values, row);
            return true;
        }
        return returned(row);
    }

    private boolean isNew(@Nullable Object[] row) {
        @Nullable Object[] key = new Object[row.length];
        long bytes = 0;
        for (int i = 0; i < row.length; i++) {
            key[i] = Datums.key(row[i]);
            bytes += Datums.bytes(row[i]);
        }
        if (distinct == null || !distinct.add(Arrays.asList(key))) {
            return false;
        }
        memory.take(bytes + 80, "DISTINCT", "narrow the condition, or ask for fewer columns");
        return true;
    }

    private boolean returned(@Nullable Object[] row) {
        if (skipped < select.offset()) {
            skipped++;
            return true;
        }
        if (returned >= select.limit()) {
            return false;
        }
        returned++;
        return result.test(outputs.texts(row)) && returned < select.limit();
    }
}
