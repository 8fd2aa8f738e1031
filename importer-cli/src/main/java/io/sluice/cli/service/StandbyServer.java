package io.sluice.cli.service;

import com.linecorp.armeria.client.RequestOptions;
import com.linecorp.armeria.client.UnprocessedRequestException;
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
import io.sluice.http.ServerRoutes;
import io.sluice.service.http.ServiceServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The server of an import service that stands by: checks the token of every request and forwards it. The service that
 * runs the jobs checks token and role again. Only {@code /healthz} is its own: {@code /readyz} tells whether a service
 * runs the jobs.
 */
final class StandbyServer implements AutoCloseable {
    private static final List<HttpMethod> METHODS = List.of(
            HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH, HttpMethod.DELETE);

    private static final int MOST_REQUESTS = 256;
    private static final long CONNECT_MILLIS = 2_000;
    private static final long RETRY_MILLIS = 2_000;
    /** Time between two health checks of a service that has not answered yet, and for each of them. */
    private static final long PROBE_MILLIS = 4_000;

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
        standby.server = HttpServer.start(http, limits, ServiceServer.profile(), standby::add);
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
        if (url == null || isOwn(url)) {
            throw new ProblemException(busy("this service stands by, and none runs the jobs at the moment; one of them"
                    + " takes over within some 15 seconds"));
        }
        // Streams of events have no end.
        ctx.clearRequestTimeout();
        WebClient client = client(url);
        HttpResponse response = client.execute(request);
        watch(ctx, client, response);
        return response.recover(failure -> Answers.problem(ctx, unanswered(url, failure)));
    }

    /** Whether a URL is that of this server: an earlier service at this address has the lease, and does not run. */
    private boolean isOwn(String url) {
        HttpServer started = server;
        return started != null && started.url().equals(url);
    }

    /**
     * The problem of a request without an answer. A request that was sent may have been done: its statement may be
     * committed.
     */
    private static Problem unanswered(String url, Throwable failure) {
        if (failure instanceof UnprocessedRequestException) {
            return busy("this service stands by, and " + url
                    + ", which runs the jobs, does not answer; ask that one, or try"
                    + " again: if it is lost, another takes over within some 15 seconds");
        }
        return Problem.of(
                        ProblemKind.TIMEOUT,
                        "this service stands by, and " + url
                                + ", which runs the jobs, got the request and does not answer, so that it is not known"
                                + " whether the request was done; if that service is lost, another takes over within some"
                                + " 15 seconds")
                .again(RETRY_MILLIS);
    }

    /** Ends a request when the service that it was sent to answers no health check: packets to it are lost. */
    private static void watch(ServiceRequestContext ctx, WebClient client, HttpResponse response) {
        RequestOptions soon =
                RequestOptions.builder().responseTimeoutMillis(PROBE_MILLIS).build();
        Future<?> next = ctx.eventLoop()
                .schedule(
                        () -> {
                            var unused = client.execute(HttpRequest.of(HttpMethod.GET, ApiPaths.HEALTH), soon)
                                    .aggregate()
                                    .handle((answer, failure) -> {
                                        if (failure == null) {
                                            watch(ctx, client, response);
                                        } else {
                                            // The request was sent, whatever has become of this one.
                                            response.abort(new IOException("no answer to a health check", failure));
                                        }
                                        return true;
                                    });
                        },
                        PROBE_MILLIS,
                        TimeUnit.MILLISECONDS);
        var unused = response.whenComplete().handle((done, failure) -> next.cancel(false));
    }

    private static Problem busy(String why) {
        return Problem.of(ProblemKind.BUSY, why).waitingFor("service").again(RETRY_MILLIS);
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
