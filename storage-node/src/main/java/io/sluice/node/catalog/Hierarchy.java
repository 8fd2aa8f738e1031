package io.sluice.node.catalog;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Index.Ancestor;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Computes which tables are interleaved in which others. */
final class Hierarchy {
    private Hierarchy() {}

    /**
     * The table at the top of the hierarchy that the table's indexes are interleaved in, or null.
     *
     * @param tables the published tables
     */
    static @Nullable TableRecord root(Table table, Collection<TableRecord> tables) {
        TableRecord root = null;
        for (Index index : table.indexes()) {
            if (index.ancestors().isEmpty()) {
                continue;
            }
            TableRecord top = tableOf(index.ancestors().get(0).tableId(), tables);
            if (root != null && root.table().id() != top.table().id()) {
                throw new BadInputException("table " + table.name() + " has indexes interleaved in "
                        + root.table().name() + " and in " + top.table().name()
                        + "; all of them must share one root, because they are ingested in one step");
            }
            root = top;
        }
        return root;
    }

    private static TableRecord tableOf(int id, Collection<TableRecord> tables) {
        return tables.stream()
                .filter(table -> table.table().id() == id)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no table with id " + id));
    }

    /** Names of the tables and running imports that are interleaved in a table. */
    static List<String> inside(int tableId, Collection<TableRecord> tables, Collection<ImportRecord> imports) {
        List<String> names = new ArrayList<>();
        for (TableRecord table : tables) {
            if (liesIn(table.table(), tableId)) {
                names.add(table.table().name());
            }
        }
        for (ImportRecord running : imports) {
            if (liesIn(running.table(), tableId)) {
                names.add(running.table().name() + " (being imported)");
            }
        }
        return names;
    }

    /** Whether an index of a table is interleaved in an index of another one. */
    static boolean liesIn(Table table, int ancestorId) {
        return table.indexes().stream()
                .map(Index::ancestors)
                .flatMap(Collection::stream)
                .map(Ancestor::tableId)
                .anyMatch(id -> id == ancestorId);
    }
}
