package io.sluice.api.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Statements to execute in turn, up to the first that fails.
 *
 * @param session the id of a session; {@value #NEW_SESSION} to begin one; null for one that ends with the request
 * @param statements texts of one or more statements each
 * @param parameters for each text what stands for the question marks of its one statement, null for NULL; null: none
 *     has any
 * @param line where the first text begins in the client's script, from 1; null: 1
 * @param column where that is in its line, from 1; null: 1
 */
public record SqlBody(
        @Nullable String session,
        @Nullable List<String> statements,
        @Nullable List<@Nullable List<@Nullable String>> parameters,
        @Nullable Integer line,
        @Nullable Integer column) {
    /** In place of an id: begin a session. */
    public static final String NEW_SESSION = "new";
}
