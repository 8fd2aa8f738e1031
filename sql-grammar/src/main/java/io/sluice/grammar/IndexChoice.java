package io.sluice.grammar;

import io.sluice.grammar.Where.Range;
import io.sluice.grammar.WhereReader.ColumnCondition;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the index for the conditions: equality on its first columns, then bounds on at most one more column, and no
 * other condition. Prefers the first matching index; the primary index comes first.
 */
final class IndexChoice {
    /** Maximum number of combinations of the values of several IN lists. */
    private static final int MAX_RANGES = 10_000;

    private final Source source;
    private final TableDef table;
    private final Map<Integer, ColumnCondition> conditions;

    IndexChoice(Source source, TableDef table, Map<Integer, ColumnCondition> conditions) {
        this.source = source;
        this.table = table;
        this.conditions = conditions;
    }

    Where choose() {
        List<IndexDef> indexes = table.indexes();
        for (int ordinal = 0; ordinal < indexes.size(); ordinal++) {
            Where where = by(ordinal, indexes.get(ordinal));
            if (where != null) {
                return where;
            }
        }
        String known = indexes.stream()
                .map(index -> index.name()
                        + index.columns().stream()
                                .map(part -> name(part.column()))
                                .collect(Collectors.joining(", ", " (", ")")))
                .collect(Collectors.joining(", "));
        throw source.unsupported(
                null,
                "the conditions on "
                        + conditions.keySet().stream().map(this::name).collect(Collectors.joining(", "))
                        + " are not on the first columns of one index, with = or IN on all of them but the last;"
                        + " table " + table.name() + " has " + known);
    }

    private String name(int column) {
        return table.columns().get(column).name();
    }

    private @Nullable Where by(int ordinal, IndexDef index) {
        List<List<@Nullable String>> equal = new ArrayList<>();
        equal.add(List.of());
        int used = 0;
        for (IndexColumn part : index.columns()) {
            ColumnCondition condition = conditions.get(part.column());
            if (condition == null) {
                break;
            }
            used++;
            if (condition.equal == null) {
                return used == conditions.size() ? ranges(ordinal, equal, condition) : null;
            }
            equal = combined(equal, condition.equal);
        }
        return used == conditions.size() ? ranges(ordinal, equal, new ColumnCondition()) : null;
    }

    private static Where ranges(int ordinal, List<List<@Nullable String>> equal, ColumnCondition bounds) {
        return new Where(
                ordinal,
                equal.stream()
                        .map(texts -> new Range(texts, bounds.lower, bounds.upper))
                        .toList());
    }

    private List<List<@Nullable String>> combined(List<List<@Nullable String>> equal, List<@Nullable String> values) {
        if ((long) equal.size() * values.size() > MAX_RANGES) {
            throw source.unsupported(null, "the lists of IN have more than " + MAX_RANGES + " combinations");
        }
        List<List<@Nullable String>> combined = new ArrayList<>();
        for (List<@Nullable String> before : equal) {
            for (String value : values) {
                List<@Nullable String> longer = new ArrayList<>(before);
                longer.add(value);
                combined.add(Collections.unmodifiableList(longer));
            }
        }
        return combined;
    }
}
