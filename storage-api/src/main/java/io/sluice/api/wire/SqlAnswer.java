package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response to {@link SqlBody}: the results of its statements.
 *
 * @param session id of the session in which the statements ran; null if it has ended
 * @param inTransaction whether a transaction is open now
 * @param results one per executed statement, a failed one included; null in the last line of a stream, whose lines
 *     before it are the results
 */
public record SqlAnswer(
        @Nullable String session,
        boolean inTransaction,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<SqlResultBody> results) {}
