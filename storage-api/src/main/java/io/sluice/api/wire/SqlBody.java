package io.sluice.api.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to execute statements in order, up to the first failure.
 *
 * @param session id of a session; {@value #NEW_SESSION} opens one; null: a session that ends with the request
 * @param statements texts of one or more statements each
 * @param parameters per text, the values of the question marks in its single statement, null for NULL; null: no text
 *     has parameters
 * @param line line of the first text in the client's script, from 1; null: 1
 * @param column column of the first text in that line, from 1; null: 1
 */
public record SqlBody(
        @Nullable String session,
        @Nullable List<String> statements,
        @Nullable List<@Nullable List<@Nullable String>> parameters,
        @Nullable Integer line,
        @Nullable Integer column) {
    /** The value of {@link #session} that opens a session. */
    public static final String NEW_SESSION = "new";
}
