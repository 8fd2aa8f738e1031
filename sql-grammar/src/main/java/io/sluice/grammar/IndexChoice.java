package io.sluice.grammar;

import io.sluice.grammar.Conditions.ColumnCondition;
import io.sluice.grammar.Where.Range;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the index for the conditions: equality on its first columns, then bounds on at most one more column. Prefers
 * an index that covers all conditions, then more columns with equality, then a bound, then the first index; the primary
 * index comes first. The conditions that it does not cover are the filter.
 */
final class IndexChoice {
    /** Maximum number of combinations of the values of several IN lists. */
    private static final int MAX_RANGES = 10_000;

    private final Map<Integer, ColumnCondition> conditions;
    private final List<Expression> all;

    private IndexChoice(Map<Integer, ColumnCondition> conditions, List<Expression> all) {
        this.conditions = conditions;
        this.all = all;
    }

    /**
     * Ranges of one index.
     *
     * @param filter conditions that the ranges do not cover
     * @param score twice the number of columns with equality, plus one for a bound
     */
    private record Choice(int ordinal, List<Range> ranges, List<Expression> filter, int score) {
        boolean betterThan(Choice other) {
            return filter.isEmpty() == other.filter.isEmpty() ? score > other.score : filter.isEmpty();
        }
    }

    /**
     * Chooses ranges and a filter.
     *
     * @param conditions what ranges can cover, by column
     * @param all all conditions
     */
    static Where of(TableDef table, Map<Integer, ColumnCondition> conditions, List<Expression> all) {
        IndexChoice choice = new IndexChoice(conditions, all);
        List<IndexDef> indexes = table.indexes();
        Choice best = choice.by(0, indexes.get(0));
        for (int ordinal = 1; ordinal < indexes.size(); ordinal++) {
            Choice other = choice.by(ordinal, indexes.get(ordinal));
            best = other.betterThan(best) ? other : best;
        }
        List<Expression> filter = best.filter();
        return new Where(
                best.ordinal(),
                best.ranges(),
                filter.isEmpty() ? null : filter.size() == 1 ? filter.get(0) : new Expression.Junction(true, filter));
    }

    private Choice by(int ordinal, IndexDef index) {
        List<List<@Nullable String>> equal = new ArrayList<>();
        equal.add(List.of());
        Set<Expression> covered = new HashSet<>();
        int score = 0;
        ColumnCondition bounds = new ColumnCondition();
        for (IndexColumn part : index.columns()) {
            ColumnCondition condition = conditions.get(part.column());
            if (condition == null) {
                break;
            }
            List<@Nullable String> values = condition.equal;
            if (values == null || (long) equal.size() * values.size() > MAX_RANGES) {
                bounds = condition;
                break;
            }
            equal = combined(equal, values);
            covered.addAll(condition.equalities);
            score += 2;
        }
        if (bounds.lower != null || bounds.upper != null) {
            covered.addAll(bounds.bounds);
            score++;
        }
        ColumnCondition last = bounds;
        return new Choice(
                ordinal,
                equal.stream()
                        .map(texts -> new Range(texts, last.lower, last.upper))
                        .toList(),
                all.stream().filter(each -> !covered.contains(each)).toList(),
                score);
    }

    private static List<List<@Nullable String>> combined(
            List<List<@Nullable String>> equal, List<@Nullable String> values) {
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
