package io.sluice.node.catalog;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** Checks whether an import may add rows to an existing table. */
final class AppendRules {
    private AppendRules() {}

    /**
     * Checks that an import may add rows to a table.
     *
     * @param asked the table as the import declares it
     * @param tableId id of the table if the cluster's log publishes the append; 0: this node does
     * @throws BadInputException when it may not; the message lists all differences
     */
    static void check(TableRecord existing, TableDef asked, int tableId) {
        TableDef has = existing.table().def();
        // A table that a build without column families has imported keeps its columns in one.
        TableDef declared = has.families() == 1 ? asked.inOneFamily() : asked;
        String name = has.name();
        List<String> differences = new ArrayList<>();
        compare("column", has.columns(), declared.columns(), Column::name, differences);
        compare("index", has.indexes(), declared.indexes(), IndexDef::name, differences);
        if (differences.isEmpty() && !has.equals(declared)) {
            differences.add("the foreign keys");
        }
        if (!differences.isEmpty()) {
            throw new BadInputException("table " + name + " is declared otherwise in the store; these differ: "
                    + String.join(", ", differences) + ". Give the schema of the existing table");
        }
        if (has.columns().stream().anyMatch(Column::hidden)) {
            throw new BadInputException(
                    "table " + name + " has no primary key: its rows are numbered by their places in"
                            + " the input, which those of another input have too. Import all files together into a new table");
        }
        boolean split = !existing.directory().ranges().isEmpty();
        if (split && tableId == 0) {
            throw new BadInputException(
                    "table " + name + " is split into key ranges for several nodes; name all nodes of"
                            + " its cluster with --nodes to add rows");
        }
        if (tableId != 0 && (!split || tableId != existing.table().id())) {
            throw new BadInputException("table " + name + " is another one here: it has id "
                    + existing.table().id() + (split ? "" : " and is not split into key ranges"));
        }
    }

    private static <T> void compare(
            String what, List<T> has, List<T> declared, Function<T, String> name, List<String> differences) {
        for (int i = 0; i < Math.max(has.size(), declared.size()); i++) {
            T left = i < has.size() ? has.get(i) : null;
            T right = i < declared.size() ? declared.get(i) : null;
            if (!Objects.equals(left, right)) {
                T named = left == null ? Objects.requireNonNull(right) : left;
                differences.add(what + " " + name.apply(named));
            }
        }
    }
}
