package io.sluice.http;

import com.linecorp.armeria.common.HttpMethod;

/**
 * The requests that a server answers without a token, and while it closes. All others need the token. Keep the set
 * minimal, and exclude path prefixes under which a later route could be added.
 */
@FunctionalInterface
public interface OpenRequests {
    /**
     * Whether a request is open.
     *
     * @param path normalized path without the query
     */
    boolean open(HttpMethod method, String path);

    /** Creates the set with only GET of one path. */
    static OpenRequests reading(String path) {
        return (method, asked) -> method == HttpMethod.GET && asked.equals(path);
    }

    /** Returns the union with other requests. */
    default OpenRequests or(OpenRequests others) {
        return (method, path) -> open(method, path) || others.open(method, path);
    }
}
