package io.sluice.api.node;

import io.sluice.model.schema.TableDef;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The parameters with which a client opens an import on a node.
 *
 * @param table definition of the table to import into
 * @param timing when its SSTs enter the LSM tree
 * @param importId id of a resumable import. A later client that opens the same id resumes the import, also after a
 *     restart of the node, and fences the earlier client. Null: the node undoes the import when its session or the node
 *     is closed. An append with an id is undone if its client is silent for some minutes: meanwhile no statement can
 *     change the table
 * @param tableId id that the table's keys carry, so that several nodes agree on it; 0: the node's next id. A resumed
 *     import keeps its id. An append to a table that is split into key ranges has the table's id: an entry of the
 *     cluster's log publishes it
 * @param append whether to add rows to an existing table, whose definition must be equal. The table stays readable and
 *     unchanged until {@link ImportSession#publish}, which makes all new rows visible at once
 */
public record ImportRequest(
        TableDef table, IngestTiming timing, @Nullable UUID importId, int tableId, boolean append) {
    /** A request to import into a new table. */
    public ImportRequest(TableDef table, IngestTiming timing, @Nullable UUID importId, int tableId) {
        this(table, timing, importId, tableId, false);
    }

    /** A request to add rows to an existing table. */
    public static ImportRequest append(TableDef table) {
        return new ImportRequest(table, IngestTiming.AT_END, null, 0, true);
    }

    public ImportRequest withImportId(UUID id) {
        return new ImportRequest(table, timing, id, tableId, append);
    }

    /** This request with the id of a table that is split into key ranges. */
    public ImportRequest ofRanges(int id) {
        return new ImportRequest(table, timing, importId, id, append);
    }

    /** A request for a non-resumable import into a new table with the node's next id. */
    public static ImportRequest of(TableDef table, IngestTiming timing) {
        return new ImportRequest(table, timing, null, 0);
    }
}
