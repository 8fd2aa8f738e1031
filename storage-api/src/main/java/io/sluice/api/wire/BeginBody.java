package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.error.BadInputException;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.schema.TableDef;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Begins an import: the body of {@code POST /v1/imports}.
 *
 * @param importId names the import; whoever begins one of the same id goes on with it
 * @param table the table to be; or else
 * @param ddl its CREATE TABLE statement, for senders that do not read DDL themselves
 * @param timing when SSTs enter the tree; missing: all at the end
 * @param tableId the id that the table's keys carry; 0 or missing: the node's next one
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BeginBody(
        @Nullable UUID importId,
        @Nullable TableDef table,
        @Nullable String ddl,
        @Nullable IngestTiming timing,
        int tableId) {
    /** The body for a request that has an id. */
    public static BeginBody of(ImportRequest request) {
        return new BeginBody(request.importId(), request.table(), null, request.timing(), request.tableId());
    }

    /**
     * Checks that the fields go together.
     *
     * @throws BadInputException when one is missing or two contradict each other
     */
    public void check() {
        Wire.required("importId", importId);
        if ((table == null) == (ddl == null)) {
            throw new BadInputException("give either table or ddl");
        }
        if (tableId < 0) {
            throw new BadInputException("tableId: must not be negative");
        }
    }
}
