package io.sluice.http;

import com.linecorp.armeria.common.HttpMethod;
import java.nio.file.Path;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The properties in which the project's servers differ.
 *
 * @param name one word that names the server in responses, in the log and in thread names
 * @param metrics prefix of the names of its request metrics
 * @param open requests that need no token and are admitted while the server closes, by method and path without the
 *     query. Keep the set minimal, and exclude path prefixes under which a later route could be added
 * @param frequent frequently requested paths, which the log has only on failure, as it has reads
 * @param store directory whose path must not appear in responses; null: none
 */
public record ServerProfile(
        String name,
        String metrics,
        BiPredicate<HttpMethod, String> open,
        Predicate<String> frequent,
        @Nullable Path store) {
    /** Open requests: GET of one path. */
    public static BiPredicate<HttpMethod, String> reading(String path) {
        return (method, asked) -> method == HttpMethod.GET && asked.equals(path);
    }
}
