package io.sluice.sql.query;

import io.sluice.grammar.Expression.Aggregate;
import io.sluice.grammar.Expression.Aggregation;
import io.sluice.grammar.Expression.Function;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One aggregate of one group. NULLs do not count; the result of no values is NULL, or 0 for count. */
final class AggregateState {
    static final int BYTES = 96;

    private final Aggregate aggregate;
    /** Kind of the argument's values; that of the result for {@code count(*)}. */
    private final TypeKind kind;

    private final @Nullable Set<Object> seen;
    private long count;
    /** Sum of INT8s as long as it fits. */
    private long whole;

    /** Sum, minimum or maximum; null before the first value. */
    private @Nullable Object value;
    /** Memory of the largest value so far that was the minimum or maximum. */
    private long valueBytes;

    AggregateState(Aggregate aggregate) {
        this.aggregate = aggregate;
        ColumnType type = aggregate.argument() == null
                ? aggregate.type()
                : aggregate.argument().type();
        kind = type.kind();
        boolean once = aggregate.distinct()
                && aggregate.function() != Aggregation.MIN
                && aggregate.function() != Aggregation.MAX;
        seen = once ? new HashSet<>() : null;
    }

    /**
     * Adds a value that is not NULL.
     *
     * @return additional memory in bytes
     */
    long add(Object added) {
        if (seen != null && !seen.add(Objects.requireNonNull(Datums.key(added)))) {
            return 0;
        }
        count++;
        switch (aggregate.function()) {
            case SUM, AVG -> addToSum(added);
            case MIN -> {
                return value == null || Datums.compare(kind, added, value) < 0 ? keep(added) : 0;
            }
            case MAX -> {
                return value == null || Datums.compare(kind, added, value) > 0 ? keep(added) : 0;
            }
            default -> {
                // Counted.
            }
        }
        return seen == null ? 0 : 2 * Datums.bytes(added) + 48;
    }

    private long keep(Object added) {
        value = added;
        long more = Math.max(0, Datums.bytes(added) - valueBytes);
        valueBytes += more;
        return more;
    }

    private void addToSum(Object added) {
        if (added instanceof Long number) {
            long sum = whole + number;
            if (((whole ^ sum) & (number ^ sum)) < 0) {
                BigDecimal before = value == null ? BigDecimal.ZERO : (BigDecimal) value;
                value = before.add(BigDecimal.valueOf(whole));
                whole = number;
            } else {
                whole = sum;
            }
            return;
        }
        TypeKind sum = aggregate.function() == Aggregation.AVG && kind == TypeKind.FLOAT4 ? TypeKind.FLOAT8 : kind;
        value = value == null ? added : Numbers.of(Function.ADD, sum, value, added);
    }

    @Nullable
    Object result() {
        if (aggregate.function() == Aggregation.COUNT) {
            return count;
        }
        if (count == 0) {
            return null;
        }
        return switch (aggregate.function()) {
            case SUM -> sum();
            case AVG -> {
                Object sum = sum();
                yield aggregate.type().kind() == TypeKind.DECIMAL
                        ? Numbers.of(Function.DIVIDE, TypeKind.DECIMAL, sum, BigDecimal.valueOf(count))
                        : (Object) ((Double) sum / count);
            }
            default -> value;
        };
    }

    private Object sum() {
        return switch (kind) {
            case INT2, INT4, INT8 ->
                BigDecimal.valueOf(whole).add(value == null ? BigDecimal.ZERO : (BigDecimal) value);
            default -> Objects.requireNonNull(value);
        };
    }
}
