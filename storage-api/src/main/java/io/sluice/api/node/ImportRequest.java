package io.sluice.api.node;

import io.sluice.api.schema.TableDef;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an import asks of a node when it begins.
 *
 * @param table the table to be
 * @param timing when its SSTs enter the LSM tree
 * @param importId names an import that can be resumed: whoever begins an import of the same id later goes on with it,
 *     on a node that was restarted too, and whoever had it before is turned away. Null: the import is undone when its
 *     session or its node is closed.
 * @param tableId the id that the table's keys must carry, so that several nodes agree on it; 0: the node's next one. An
 *     import that is gone on with keeps the id it has
 * @param append whether the table exists and is to get more rows; its definition must be this one. It stays readable,
 *     and as it is until {@link ImportSession#publish}, which brings all rows in at once
 */
public record ImportRequest(
        TableDef table, IngestTiming timing, @Nullable UUID importId, int tableId, boolean append) {
    /** An import into a new table. */
    public ImportRequest(TableDef table, IngestTiming timing, @Nullable UUID importId, int tableId) {
        this(table, timing, importId, tableId, false);
    }

    /** More rows for a table that exists. */
    public static ImportRequest append(TableDef table) {
        return new ImportRequest(table, IngestTiming.AT_END, null, 0, true);
    }

    /** An import that cannot be resumed, into a table with the node's next id. */
    public static ImportRequest of(TableDef table, IngestTiming timing) {
        return new ImportRequest(table, timing, null, 0);
    }
}
