package io.sluice.it.imports;

import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.it.support.Imports;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reference model of conflict resolution: inserts row by row into a table, after a search for rows with the same id or
 * code.
 */
final class ConflictModel {
    /** The table of the model. */
    static final String SQL = "CREATE TABLE things (id INT8 PRIMARY KEY, code STRING, place INT4, note STRING,"
            + " UNIQUE INDEX by_code (code), INDEX by_place (place) STORING (note))";

    /** The same table with four column families, of which a row may lack the last one. */
    static final String IN_FAMILIES =
            SQL.substring(0, SQL.length() - 1) + ", FAMILY (id), FAMILY (code), FAMILY (place), FAMILY (note))";

    /** The table by turns with one column family and with several. */
    static TableDef table(int run) {
        return Imports.table(run % 2 == 0 ? IN_FAMILIES : SQL);
    }

    /**
     * A row.
     *
     * @param code unique, unless it is null
     */
    record Thing(long id, @Nullable String code, int place, String note) {
        String line() {
            return id + "," + (code == null ? "" : code) + "," + place + "," + note;
        }

        private boolean conflicts(Thing other) {
            boolean sameKey = id == other.id || (code != null && code.equals(other.code));
            return sameKey && !equals(other);
        }
    }

    private ConflictModel() {}

    /** The rows of {@code table} after {@code rows} were inserted in order. */
    static List<Thing> survivors(List<Thing> table, List<Thing> rows, ConflictPolicy policy) {
        List<Thing> order = new ArrayList<>(table);
        order.addAll(rows);
        if (policy == ConflictPolicy.LAST) {
            Collections.reverse(order);
        }
        Map<Thing, Thing> kept = new LinkedHashMap<>();
        for (Thing row : order) {
            if (kept.keySet().stream().noneMatch(row::conflicts)) {
                kept.putIfAbsent(row, row);
            }
        }
        return List.copyOf(kept.keySet());
    }

    /** Whether any two of the rows conflict. */
    static boolean conflicting(List<Thing> table, List<Thing> rows) {
        List<Thing> all = new ArrayList<>(table);
        all.addAll(rows);
        return rows.stream().anyMatch(row -> all.stream()
                .anyMatch(other -> Objects.requireNonNull(row).conflicts(other)));
    }
}
