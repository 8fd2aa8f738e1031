package io.sluice.cli.imports;

import io.sluice.api.error.BadInputException;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableStatus;
import io.sluice.api.schema.Column;
import io.sluice.api.schema.TableDef;

/** What must be true of a table that a bundle is replayed into. */
final class ReplayTarget {
    private ReplayTarget() {}

    /** A row without a key is another row each time it is imported, so it cannot be replayed twice like once. */
    static void requirePrimaryKey(TableDef table) {
        if (table.columns().stream().anyMatch(Column::hidden)) {
            throw new BadInputException("table " + table.name()
                    + " has no primary key, so its rows would be imported again by every replay;"
                    + " import the repaired file together with the others into a new table");
        }
    }

    /**
     * Checks that the table is there and the one that the bundle was made for.
     *
     * @throws BadInputException when it is not
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
                    + " of the store is declared otherwise than in the bundle; it was dropped and made anew."
                    + " Import the repaired file with the present schema");
        }
    }
}
