package io.sluice.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.Route;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.api.wire.ApiPaths;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Builds the routes of a server during its setup, each with its own body limit. All routes are behind the gatekeeper.
 */
public final class ServerRoutes {
    private static final MediaType PROMETHEUS = MediaType.parse("text/plain; version=0.0.4; charset=utf-8");
    private static final int REQUEST_THREADS = 16;
    private static final int PROBE_THREADS = 2;
    private static final int WAITING_PROBES = 30;

    private final ServerBuilder server;
    private final ServerProfile profile;
    private final ServerLimits limits;
    private final Pools pools;
    private final Kind requests;
    private final Kind probes;
    /** Bound on all requests in progress, except those of reserved routes. */
    private final RequestLimits inProgress;

    private final PrometheusMeterRegistry registry;
    private final BooleanSupplier closing;
    private final Failures failures;
    private Consumer<ServiceRequestContext> forbidden = ctx -> {};

    ServerRoutes(
            ServerBuilder server,
            ServerProfile profile,
            ServerLimits limits,
            Pools pools,
            PrometheusMeterRegistry registry,
            BooleanSupplier closing,
            Failures failures) {
        this.server = server;
        this.profile = profile;
        this.limits = limits;
        this.pools = pools;
        this.registry = registry;
        this.closing = closing;
        this.failures = failures;
        inProgress = places(
                "all", limits.connections().requests(), limits.connections().requestsPerClient());
        requests = kind("request", REQUEST_THREADS, limits.waitingRequests(), Pools.AtEnd.AWAITED);
        probes = kind("metrics", PROBE_THREADS, WAITING_PROBES, Pools.AtEnd.AWAITED);
    }

    public ServerLimits limits() {
        return limits;
    }

    /** The pool for quick work: requests of {@link #small}, and chunks of streams. */
    public Executor requests() {
        return requests.pool();
    }

    /**
     * Adds a kind of requests with its own threads and places, so that it cannot starve other kinds. One client address
     * may use half of the places. The pool is closed with the server.
     *
     * @param name one word for the work
     * @param threads number of requests that run at a time
     * @param waiting number of requests that may wait; more get a 503
     */
    public Kind kind(String name, int threads, int waiting, Pools.AtEnd end) {
        int total = threads + waiting;
        // The executor has room for all places and for chunks of streams.
        return new Kind(pools.add(name, threads, total, end), places(name, total));
    }

    /** Adds a bound without threads; one client address may use half of the places. */
    public RequestLimits places(String name, int total) {
        return places(name, total, Math.max(1, total / 2));
    }

    private RequestLimits places(String name, int total, int perClient) {
        return new RequestLimits(registry, profile.metrics() + ".requests", name, total, perClient);
    }

    /** The server's pools, to add one for slow work. */
    public Pools pools() {
        return pools;
    }

    /** The registry of the metrics that {@link #metrics} exports. */
    public MeterRegistry registry() {
        return registry;
    }

    /** Adds {@value ApiPaths#HEALTH}: 200, and 503 while the server closes. */
    public void health() {
        health(ApiPaths.HEALTH, "ready");
    }

    /**
     * Adds a path as {@link #health()} does.
     *
     * @param status the status that a server shows which does not close
     */
    public void health(String path, String status) {
        // Requested often and answered at once, so it runs on the event loop.
        reserved(
                HttpMethod.GET,
                path,
                limits.bodyBytes(),
                new Endpoint(
                        Runnable::run,
                        request -> closing.getAsBoolean()
                                ? Answers.json(HttpStatus.SERVICE_UNAVAILABLE, Map.of("status", "closing"))
                                : Answers.ok(Map.of("status", status))));
    }

    /**
     * Adds {@value ApiPaths#METRICS}, for Prometheus.
     *
     * @param before runs before each scrape, on a pool's thread; takes a consistent snapshot of values
     */
    public void metrics(Runnable before) {
        reserved(HttpMethod.GET, ApiPaths.METRICS, limits.bodyBytes(), new Endpoint(probes, request -> {
            before.run();
            return HttpResponse.of(
                    HttpStatus.OK, PROMETHEUS, HttpData.wrap(registry.scrape().getBytes(StandardCharsets.UTF_8)));
        }));
    }

    /** Adds a route for quick requests with small bodies; see {@link #add(HttpMethod, String, long, HttpService)}. */
    public void small(HttpMethod method, String path, Endpoint.Work work) {
        small(usual(method), method, path, work);
    }

    /** Adds a route for quick requests with small bodies, which need a role. */
    public void small(Role role, HttpMethod method, String path, Endpoint.Work work) {
        add(role, method, path, limits.bodyBytes(), new Endpoint(requests, work));
    }

    /** The role for a route that names none: to read for a GET, otherwise to operate. */
    private static Role usual(HttpMethod method) {
        return method == HttpMethod.GET ? Role.READ : Role.OPERATE;
    }

    /** Sets what hears of requests whose sender lacks the role. */
    public void onForbidden(Consumer<ServiceRequestContext> listener) {
        forbidden = listener;
    }

    /** Adds a route for requests of a kind with small bodies, which need a role. */
    public void add(Role role, HttpMethod method, String path, Kind kind, Endpoint.Work work) {
        add(role, method, path, limits.bodyBytes(), new Endpoint(kind, work));
    }

    /** Adds a route that a GET needs the role to read for, and any other method the role to operate. */
    public void add(HttpMethod method, String path, long maxBytes, HttpService service) {
        add(usual(method), method, path, maxBytes, service);
    }

    /**
     * Adds a route.
     *
     * @param role the role that it needs
     * @param path may have parameters such as {@code {name}}; a leading {@code prefix:/} matches all paths below
     * @param maxBytes maximum length of a body; a longer one gets a 413
     * @param service must not block; see {@link Endpoint}
     */
    public void add(Role role, HttpMethod method, String path, long maxBytes, HttpService service) {
        reserved(method, path, maxBytes, (ctx, request) -> {
            if (!Caller.may(ctx, role)) {
                forbidden.accept(ctx);
                throw Caller.refusal(ctx, role, "this request");
            }
            RequestLimits.Place place = inProgress.take(ctx);
            var unused = ctx.log().whenComplete().thenAccept(log -> place.close());
            return service.serve(ctx, request);
        });
    }

    /** Adds a route that is exempt from the bound on requests in progress. Its service must have a bound of its own. */
    public void reserved(HttpMethod method, String path, long maxBytes, HttpService service) {
        failures.allow(method, path);
        server.route()
                .addRoute(Route.builder().methods(method).path(path).build())
                .maxRequestLength(maxBytes)
                .requestTimeoutMillis(limits.requestMillis())
                .build(service);
    }
}
