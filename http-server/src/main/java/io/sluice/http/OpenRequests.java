package io.sluice.http;

import com.linecorp.armeria.common.HttpMethod;

/**
 * The requests that a server answers to whoever asks, and while it closes. Everything else needs the token: name as
 * little as can be, and no path that a later route could come to lie under.
 */
@FunctionalInterface
public interface OpenRequests {
    /**
     * Whether a request is open.
     *
     * @param path without the query, and without dots and slashes that mean nothing
     */
    boolean open(HttpMethod method, String path);

    /** One path, to be read only. */
    static OpenRequests reading(String path) {
        return (method, asked) -> method == HttpMethod.GET && asked.equals(path);
    }

    /** These, and those as well. */
    default OpenRequests or(OpenRequests others) {
        return (method, path) -> open(method, path) || others.open(method, path);
    }
}
