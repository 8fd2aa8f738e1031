package io.sluice.sql.query;

import io.sluice.grammar.Expression;
import io.sluice.grammar.Expression.Aggregate;
import io.sluice.grammar.Statement.Grouping;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Groups rows, in memory. Not thread-safe. */
final class Groups {
    private static final int GROUP_BYTES = 160;
    private static final String REMEDY = "narrow the condition, or group by values of which there are fewer";

    private final Grouping grouping;
    private final MemoryBudget memory;
    private final List<Scalar> keys;
    private final List<@Nullable Scalar> arguments = new ArrayList<>();
    private final @Nullable Scalar having;
    private final Map<List<@Nullable Object>, Group> groups = new LinkedHashMap<>();

    /** The values of the keys as they were first seen, and the aggregates. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Group(@Nullable Object[] keys, List<AggregateState> states) {}

    Groups(Grouping grouping, MemoryBudget memory) {
        this.grouping = grouping;
        this.memory = memory;
        keys = grouping.keys().stream().map(Scalar::of).toList();
        for (Aggregate aggregate : grouping.aggregates()) {
            Expression argument = aggregate.argument();
            arguments.add(argument == null ? null : Scalar.of(argument));
        }
        Expression condition = grouping.having();
        having = condition == null ? null : Scalar.of(condition);
        if (keys.isEmpty()) {
            group(new Object[0]);
        }
    }

    void add(@Nullable Object[] row) {
        @Nullable Object[] values = new Object[keys.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = keys.get(i).of(row);
        }
        Group group = group(values);
        for (int i = 0; i < arguments.size(); i++) {
            Scalar argument = arguments.get(i);
            Object value = argument == null ? (Object) true : argument.of(row);
            if (value != null) {
                long more = group.states().get(i).add(value);
                if (more > 0) {
                    memory.take(more, "an aggregate", REMEDY);
                }
            }
        }
    }

    private Group group(@Nullable Object[] values) {
        @Nullable Object[] key = new Object[values.length];
        for (int i = 0; i < key.length; i++) {
            key[i] = Datums.key(values[i]);
        }
        Group known = groups.get(Arrays.asList(key));
        if (known != null) {
            return known;
        }
        long bytes = GROUP_BYTES + (long) AggregateState.BYTES * arguments.size();
        for (Object value : values) {
            bytes += 2 * Datums.bytes(value);
        }
        memory.take(bytes, "GROUP BY", REMEDY);
        Group group = new Group(
                values, grouping.aggregates().stream().map(AggregateState::new).toList());
        groups.put(Arrays.asList(key), group);
        return group;
    }

    /** Visits the values of each group that passes HAVING until the visitor returns false. */
    void forEach(Predicate<@Nullable Object[]> visitor) {
        for (Group group : groups.values()) {
            @Nullable
            Object[] values = Arrays.copyOf(
                    group.keys(), group.keys().length + group.states().size());
            for (int i = 0; i < group.states().size(); i++) {
                values[group.keys().length + i] = group.states().get(i).result();
            }
            if ((having == null || having.holds(values)) && !visitor.test(values)) {
                return;
            }
        }
    }
}
