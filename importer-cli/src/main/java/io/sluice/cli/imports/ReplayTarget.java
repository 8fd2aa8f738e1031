package io.sluice.cli.imports;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableStatus;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;

/** Checks whether a bundle can be replayed into a table. */
final class ReplayTarget {
    private ReplayTarget() {}

    /** Refuses a table without a primary key: each replay would add its rows again. */
    static void requirePrimaryKey(TableDef table) {
        if (table.columns().stream().anyMatch(Column::hidden)) {
            throw new BadInputException("table " + table.name()
                    + " has no primary key, so its rows would be imported again by every replay;"
                    + " import the repaired file together with the others into a new table");
        }
    }

    /**
     * Checks that the table exists and has the definition in the bundle.
     *
     * @throws BadInputException if not
     */
    static void requireImportable(NodeClient node, TableDef table) {
        TableStatus status = node.table(table.name());
        if (status == null) {
            throw new BadInputException("the store has no table " + table.name()
                    + ": the import that left the bundle failed, or went to another store;"
                    + " repair the input and import it again");
        }
        if (!status.table().def().equals(table)) {
            throw new BadInputException("table " + table.name()
                    + " of the store is declared differently in the bundle: it was dropped and created again."
                    + " Import the repaired file with the present schema");
        }
    }
}
