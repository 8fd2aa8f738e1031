package io.sluice.http;

import java.nio.file.Path;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What sets one server apart from another.
 *
 * @param name what it calls itself in answers, in the log and in the names of threads; one word
 * @param metrics what the names of its requests' metrics begin with
 * @param open which requests need no token, and are let in while it closes
 * @param frequent paths that are asked for so often that the log has them only when something goes wrong, as it has
 *     what only reads
 * @param store a directory whose path must not leave the server; null: has none
 */
public record ServerProfile(
        String name,
        String metrics,
        OpenRequests open,
        Predicate<String> frequent,
        @Nullable Path store) {}
