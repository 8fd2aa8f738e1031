package io.sluice.cli.service;

import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.client.Connections;
import io.sluice.client.RemoteSettings;
import io.sluice.http.Answers;
import io.sluice.http.HttpServer;
import io.sluice.http.HttpSettings;
import io.sluice.http.ProblemException;
import io.sluice.http.RequestLimits;
import io.sluice.http.ServerLimits;
import io.sluice.http.ServerProfile;
import io.sluice.http.ServerRoutes;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The server of an import service that stands by: sends every request on to the service that runs the jobs, which
 * checks it. Only {@code /healthz} is its own: {@code /readyz} tells whether a service runs the jobs.
 */
final class StandbyServer implements AutoCloseable {
    private static final List<HttpMethod> METHODS = List.of(
            HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH, HttpMethod.DELETE);

    private static final int MOST_REQUESTS = 256;
    private static final long CONNECT_MILLIS = 2_000;
    private static final long RETRY_MILLIS = 2_000;

    private final Supplier<@Nullable String> running;
    private final Function<String, RemoteSettings> access;
    private @Nullable Connections connections;
    private @Nullable String connectedTo;
    private @Nullable HttpServer server;

    private StandbyServer(Supplier<@Nullable String> running, Function<String, RemoteSettings> access) {
        this.running = running;
        this.access = access;
    }

    /**
     * Starts a server.
     *
     * @param running URL of the service that runs the jobs; null: none is known
     * @param access connection settings to the service at a URL, of which the certificates are used
     */
    static StandbyServer start(
            HttpSettings http,
            ServerLimits limits,
            Supplier<@Nullable String> running,
            Function<String, RemoteSettings> access) {
        StandbyServer standby = new StandbyServer(running, access);
        ServerProfile profile =
                new ServerProfile("service", "sluice.service.http", (method, path) -> true, path -> false, null);
        standby.server = HttpServer.start(http, limits, profile, standby::add);
        return standby;
    }

    private void add(ServerRoutes routes) {
        routes.health(ApiPaths.HEALTH, "standing by");
        RequestLimits places = routes.places("forwarded", MOST_REQUESTS);
        for (HttpMethod method : METHODS) {
            routes.reserved(method, "prefix:/", routes.limits().bodyBytes(), (ctx, request) -> {
                RequestLimits.Place place = places.take(ctx);
                var unused = ctx.log().whenComplete().thenAccept(log -> place.close());
                return forward(ctx, request);
            });
        }
    }

    private HttpResponse forward(ServiceRequestContext ctx, HttpRequest request) {
        String url = running.get();
        if (url == null) {
            throw new ProblemException(nobody("this service stands by, and none runs the jobs at the moment"));
        }
        // Streams of events have no end.
        ctx.clearRequestTimeout();
        return client(url)
                .execute(request)
                .recover(failure -> Answers.problem(
                        ctx, nobody("this service stands by, and " + url + ", which runs the jobs, does not answer")));
    }

    private static Problem nobody(String why) {
        return Problem.of(ProblemKind.BUSY, why + "; one of them takes over within some 15 seconds")
                .waitingFor("service")
                .again(RETRY_MILLIS);
    }

    private synchronized WebClient client(String url) {
        Connections made = connections;
        if (made == null || !url.equals(connectedTo)) {
            if (made != null) {
                made.closeSoon();
            }
            made = new Connections(access.apply(url), CONNECT_MILLIS);
            connections = made;
            connectedTo = url;
        }
        return made.client();
    }

    private HttpServer server() {
        HttpServer started = server;
        if (started == null) {
            throw new IllegalStateException("the server is not started");
        }
        return started;
    }

    InetSocketAddress address() {
        return server().address();
    }

    String url() {
        return server().url();
    }

    @Override
    public void close() {
        server().close();
        synchronized (this) {
            if (connections != null) {
                connections.close();
            }
        }
    }
}
