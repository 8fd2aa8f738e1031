package io.sluice.model.schema;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Counts the statements and clauses that have no meaning for an import. */
final class PassedOver {
    private final Map<String, Integer> counts = new LinkedHashMap<>();

    void add(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    /** One line that names everything; null if nothing was passed over. */
    @Nullable
    String summary() {
        if (counts.isEmpty()) {
            return null;
        }
        boolean rows = counts.containsKey("COPY") || counts.containsKey("INSERT");
        return "passed over "
                + counts.entrySet().stream()
                        .map(entry -> entry.getKey() + (entry.getValue() > 1 ? " (" + entry.getValue() + ")" : ""))
                        .collect(Collectors.joining(", "))
                + (rows ? "; an import reads no rows from a schema file, so export them as CSV" : "");
    }
}
