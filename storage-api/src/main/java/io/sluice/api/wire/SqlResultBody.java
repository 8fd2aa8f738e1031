package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementResult;
import io.sluice.model.error.BadInputException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of one statement, as JSON; only the applicable members are present.
 *
 * @param columns column names of the rows
 * @param rows text datums, null for NULL
 * @param returned number of rows that were sent before this line, in a stream
 * @param count number of changed rows
 * @param cascaded number of rows that foreign key actions changed, per table
 * @param done description of a statement without rows or counts
 * @param error why the statement failed
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SqlResultBody(
        @Nullable List<String> columns,
        @Nullable List<List<@Nullable String>> rows,
        @Nullable Long returned,
        @Nullable Long count,
        @Nullable Map<String, Long> cascaded,
        @Nullable String done,
        @Nullable Failure error) {

    /** An error code for programs, and a message for users. */
    public record Failure(String code, String message) {}

    public static SqlResultBody of(StatementResult result) {
        if (result instanceof StatementResult.Rows rows) {
            return new SqlResultBody(rows.columns(), rows.rows(), null, null, null, null, null);
        }
        if (result instanceof StatementResult.Returned returned) {
            return new SqlResultBody(null, null, returned.rows(), null, null, null, null);
        }
        if (result instanceof StatementResult.Changed changed) {
            return new SqlResultBody(null, null, null, changed.count(), changed.cascaded(), null, null);
        }
        if (result instanceof StatementResult.Done done) {
            return new SqlResultBody(null, null, null, null, null, done.what(), null);
        }
        StatementResult.Failed failed = (StatementResult.Failed) result;
        return new SqlResultBody(
                null, null, null, null, null, null, new Failure(failed.code().text(), failed.message()));
    }

    public StatementResult toResult() {
        if (error != null) {
            return new StatementResult.Failed(code(error.code()), error.message());
        }
        if (columns != null && rows != null) {
            return new StatementResult.Rows(columns, rows);
        }
        if (returned != null) {
            return new StatementResult.Returned(returned);
        }
        return count != null
                ? new StatementResult.Changed(count, cascaded == null ? Map.of() : cascaded)
                : new StatementResult.Done(Wire.required("done", done));
    }

    static SqlErrorCode code(String text) {
        try {
            return SqlErrorCode.valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new BadInputException("error code " + text + " is not known; is the node of a later version?", e);
        }
    }
}
