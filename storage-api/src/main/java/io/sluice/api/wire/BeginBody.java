package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IngestTiming;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/imports}, which opens or resumes an import.
 *
 * @param importId id of the import; a client that opens the same id again resumes the import
 * @param table definition of the table; null if {@code ddl} is given
 * @param ddl the CREATE TABLE statement, for clients without a DDL parser; null if {@code table} is given
 * @param timing time at which SSTs enter the tree; missing: all at the end
 * @param tableId id that the table's keys carry; 0 or missing: the node's next id
 * @param append whether to add rows to an existing table; missing: the table is new
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BeginBody(
        @Nullable UUID importId,
        @Nullable TableDef table,
        @Nullable String ddl,
        @Nullable IngestTiming timing,
        int tableId,
        @Nullable Boolean append) {
    /**
     * Returns the body for a request.
     *
     * @param request a request with an import id
     */
    public static BeginBody of(ImportRequest request) {
        return new BeginBody(
                request.importId(),
                request.table(),
                null,
                request.timing(),
                request.tableId(),
                request.append() ? true : null);
    }

    /**
     * Validates the body.
     *
     * @throws BadInputException if a member is missing or two members contradict each other
     */
    public void check() {
        Wire.required("importId", importId);
        if ((table == null) == (ddl == null)) {
            throw new BadInputException("give either table or ddl");
        }
        if (tableId < 0) {
            throw new BadInputException("tableId: must not be negative");
        }
        if (adds() && timing != null && timing != IngestTiming.AT_END) {
            throw new BadInputException("timing: an append brings all rows in at the end; leave it out");
        }
    }

    /** Whether rows are added to an existing table. */
    public boolean adds() {
        return append != null && append;
    }
}
