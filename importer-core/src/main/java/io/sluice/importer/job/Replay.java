package io.sluice.importer.job;

import io.sluice.api.node.ImportTarget;
import io.sluice.api.node.TableStatus;
import io.sluice.importer.bundle.Bundle;
import io.sluice.importer.bundle.BundleCheck;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import java.util.List;

/**
 * The repaired rows of a reject bundle, to be added to their table.
 *
 * @param bundle the bundle
 * @param inputs its data files
 * @param check its records, compared with those that were rejected
 */
public record Replay(Bundle bundle, List<InputFile> inputs, BundleCheck check) {
    public Replay {
        inputs = List.copyOf(inputs);
    }

    /**
     * Reads a bundle's records.
     *
     * @throws BadInputException if its table has no primary key: each replay would add its rows again
     */
    public static Replay of(Bundle bundle, List<InputFile> inputs) {
        TableDef table = bundle.table();
        if (table.columns().stream().anyMatch(Column::hidden)) {
            throw new BadInputException("table " + table.name()
                    + " has no primary key, so its rows would be imported again by every replay;"
                    + " import the repaired file together with the others into a new table");
        }
        return new Replay(bundle, inputs, BundleCheck.of(bundle, inputs, ImportSettings.MAX_RECORD_BYTES));
    }

    /**
     * Checks that the table exists and has the definition in the bundle.
     *
     * @throws BadInputException if not
     */
    public void requireTable(ImportTarget node) {
        TableDef table = bundle.table();
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

    /** One line per record that the bundle has only a part of. */
    public List<String> leftOut() {
        return check.cut().stream()
                .map(place ->
                        "not replayed, because the bundle has only a part of a record that was too long: " + place)
                .toList();
    }

    /** The report of the import of the bundle's records; those that were left out are rejects. */
    public ImportReport reported(ImportReport report) {
        ImportReport warned = report.warning(leftOut());
        return check.cut().isEmpty() ? warned : warned.withRejects();
    }
}
