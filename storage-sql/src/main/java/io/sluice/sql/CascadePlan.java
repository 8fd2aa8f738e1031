package io.sluice.sql;

import io.sluice.model.schema.TableDef;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The foreign keys that a DELETE row by row follows, breadth first, each once. {@link HierarchyPlan} decides whether
 * the DELETE can erase spans of keys instead.
 *
 * @param root table of the DELETE statement
 * @param steps foreign keys in the order they are followed
 */
record CascadePlan(TableDef root, List<Reference> steps) {
    CascadePlan {
        steps = List.copyOf(steps);
    }

    static CascadePlan of(ForeignKeys keys, TableDef root) {
        List<Reference> steps = new ArrayList<>();
        Set<String> seen = new HashSet<>(Set.of(root.name()));
        Deque<TableDef> queue = new ArrayDeque<>(List.of(root));
        while (!queue.isEmpty()) {
            for (Reference reference : keys.to(queue.removeFirst())) {
                steps.add(reference);
                if (reference.cascades() && seen.add(reference.child().name())) {
                    queue.addLast(reference.child());
                }
            }
        }
        return new CascadePlan(root, steps);
    }

    /** The foreign keys that refer to a table. */
    List<Reference> to(TableDef table) {
        return steps.stream()
                .filter(step -> step.parent().name().equals(table.name()))
                .toList();
    }

    /** Describes the plan, one line per foreign key. */
    List<String> describe() {
        List<String> lines = new ArrayList<>();
        for (Reference step : steps) {
            lines.add((step.cascades() ? "cascade to " : "refuse if there are rows in ")
                    + step.child().name() + " that refer to "
                    + step.parent().name());
        }
        return lines;
    }
}
