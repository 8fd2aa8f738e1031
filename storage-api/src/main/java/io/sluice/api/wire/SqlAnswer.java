package io.sluice.api.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response to {@link SqlBody}: the results of its statements.
 *
 * @param session id of the session in which the statements ran; null if it has ended
 * @param inTransaction whether a transaction is open now
 * @param results one per executed statement, a failed one included
 */
public record SqlAnswer(@Nullable String session, boolean inTransaction, List<SqlResultBody> results) {}
