package io.sluice.service.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.file.FileService;
import io.sluice.http.ServerRoutes;
import java.util.function.BiPredicate;

/** Serves the console's files from the class path, without a token; its API requests need the token. */
final class ConsoleFiles {
    static final String PATH = "/console/";
    /** Content security policy: scripts, styles and requests of the same origin only, and no framing. */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private ConsoleFiles() {}

    /** The requests that need no token. */
    static BiPredicate<HttpMethod, String> open() {
        return (method, path) ->
                (method == HttpMethod.GET || method == HttpMethod.HEAD) && (path.equals("/") || path.startsWith(PATH));
    }

    static void add(ServerRoutes server) {
        HttpService files = FileService.builder(ConsoleFiles.class.getClassLoader(), "io/sluice/service/console")
                .cacheControl("no-cache")
                .addHeader("content-security-policy", POLICY)
                .addHeader("x-content-type-options", "nosniff")
                .addHeader("referrer-policy", "no-referrer")
                .build();
        server.add(HttpMethod.GET, "prefix:" + PATH, 1, files);
        server.add(
                HttpMethod.GET,
                "/",
                1,
                (ctx, request) ->
                        HttpResponse.of(ResponseHeaders.of(HttpStatus.FOUND, HttpHeaderNames.LOCATION, PATH)));
    }
}
