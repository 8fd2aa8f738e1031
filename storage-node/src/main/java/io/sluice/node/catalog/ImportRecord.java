package io.sluice.node.catalog;

import io.sluice.api.schema.Table;
import java.util.List;

/**
 * An import that is not published. The id of its table names it: ids are never used twice.
 *
 * @param table the table to be
 * @param family the column family its KVs go to
 * @param ownsFamily whether that was made for this import; false for a table interleaved in another
 * @param phase how far it has come
 * @param files names of the staged files that the last ingest was about
 */
public record ImportRecord(Table table, String family, boolean ownsFamily, ImportPhase phase, List<String> files) {
    public ImportRecord {
        files = List.copyOf(files);
    }

    /** Names the import among all that this store ever saw. */
    public int id() {
        return table.id();
    }

    /** Whether KVs of it may be in the LSM tree. */
    public boolean mayHaveIngested() {
        return phase != ImportPhase.RECEIVING;
    }

    ImportRecord in(ImportPhase next, List<String> about) {
        return new ImportRecord(table, family, ownsFamily, next, about);
    }
}
