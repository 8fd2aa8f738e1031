package io.sluice.sql.query;

import io.sluice.grammar.Expression;
import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads from rows the columns that expressions refer to. Not thread-safe: the next row has the same array. */
public final class RowValues {
    private final Map<Integer, ColumnType> used = new TreeMap<>();
    private @Nullable Object[] values = new Object[0];

    public RowValues(Collection<? extends Expression> expressions) {
        expressions.forEach(this::collect);
        int size = used.keySet().stream().mapToInt(column -> column + 1).max().orElse(0);
        values = new Object[size];
    }

    private void collect(Expression expression) {
        if (expression instanceof Expression.Column column) {
            used.put(column.column(), column.type());
        }
        expression.operands().forEach(this::collect);
    }

    /** Returns the values by position of the column, until the next call. */
    public @Nullable Object[] of(Row row) {
        used.forEach((column, type) -> values[column] = Datums.of(row, column, type));
        return values;
    }
}
