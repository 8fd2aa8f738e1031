package io.sluice.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.Route;
import com.linecorp.armeria.server.ServerBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.api.wire.ApiPaths;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/**
 * What a server answers to, while it is being set up: routes are added one by one, each with its own limit of the body.
 * Whatever is added lies behind the gatekeeper.
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
    /** All requests in progress but those of reserved routes. */
    private final RequestLimits inProgress;

    private final PrometheusMeterRegistry registry;
    private final BooleanSupplier closing;
    private final AllowedMethods allowed;

    ServerRoutes(
            ServerBuilder server,
            ServerProfile profile,
            ServerLimits limits,
            Pools pools,
            PrometheusMeterRegistry registry,
            BooleanSupplier closing,
            AllowedMethods allowed) {
        this.server = server;
        this.profile = profile;
        this.limits = limits;
        this.pools = pools;
        this.registry = registry;
        this.closing = closing;
        this.allowed = allowed;
        inProgress = places(
                "all", limits.connections().requests(), limits.connections().requestsPerClient());
        requests = kind("request", REQUEST_THREADS, limits.waitingRequests(), Pools.AtEnd.AWAITED);
        probes = kind("metrics", PROBE_THREADS, WAITING_PROBES, Pools.AtEnd.AWAITED);
    }

    /** The limits of the server. */
    public ServerLimits limits() {
        return limits;
    }

    /** Where quick work is done: that of {@link #small}, and pieces of streams. */
    public Executor requests() {
        return requests.pool();
    }

    /**
     * Threads and places for requests that must not keep others out: a pool of the server's own, which is closed with
     * it. One client address may have half of the places.
     *
     * @param name what is done, in one word
     * @param threads how many requests are worked on at a time
     * @param waiting how many more may wait; beyond that the answer is 503
     */
    public Kind kind(String name, int threads, int waiting, Pools.AtEnd end) {
        int total = threads + waiting;
        // The executor has room for all places and for pieces of streams.
        return new Kind(pools.add(name, threads, total, end), places(name, total));
    }

    /** Places without threads: one client address may have half of them. */
    public RequestLimits places(String name, int total) {
        return places(name, total, Math.max(1, total / 2));
    }

    private RequestLimits places(String name, int total, int perClient) {
        return new RequestLimits(registry, profile.metrics() + ".requests", name, total, perClient);
    }

    /** Where to add pools for what takes longer. */
    public Pools pools() {
        return pools;
    }

    /** The metrics that {@link #metrics} shows. */
    public MeterRegistry registry() {
        return registry;
    }

    /** Adds {@value ApiPaths#HEALTH}: 200, and 503 while the server closes. */
    public void health() {
        // Asked for often and answered at once: it waits for no thread.
        reserved(
                HttpMethod.GET,
                ApiPaths.HEALTH,
                limits.bodyBytes(),
                new Endpoint(
                        Runnable::run,
                        request -> closing.getAsBoolean()
                                ? Answers.json(HttpStatus.SERVICE_UNAVAILABLE, Map.of("status", "closing"))
                                : Answers.ok(Map.of("status", "ready"))));
    }

    /**
     * Adds {@value ApiPaths#METRICS}, for Prometheus.
     *
     * @param before is run before each scrape, on a pool's thread: takes the figures that are to be of one moment
     */
    public void metrics(Runnable before) {
        reserved(HttpMethod.GET, ApiPaths.METRICS, limits.bodyBytes(), new Endpoint(probes, request -> {
            before.run();
            return HttpResponse.of(
                    HttpStatus.OK, PROMETHEUS, HttpData.wrap(registry.scrape().getBytes(StandardCharsets.UTF_8)));
        }));
    }

    /** Adds a route with small bodies, whose work is quick. */
    public void small(HttpMethod method, String path, Endpoint.Work work) {
        add(method, path, limits.bodyBytes(), new Endpoint(requests, work));
    }

    /**
     * Adds a route.
     *
     * @param path may have parts such as {@code {name}}, and {@code prefix:/} before a path stands for all below it
     * @param maxBytes of a body; who sends more gets 413
     * @param service must not block; see {@link Endpoint}
     */
    public void add(HttpMethod method, String path, long maxBytes, HttpService service) {
        reserved(method, path, maxBytes, (ctx, request) -> {
            RequestLimits.Place place = inProgress.take(ctx);
            var unused = ctx.log().whenComplete().thenAccept(log -> place.close());
            return service.serve(ctx, request);
        });
    }

    /**
     * Adds a route that answers however many other requests are in progress. Its service must have a bound of its own.
     */
    public void reserved(HttpMethod method, String path, long maxBytes, HttpService service) {
        allowed.add(method, path);
        server.route()
                .addRoute(Route.builder().methods(method).path(path).build())
                .maxRequestLength(maxBytes)
                .requestTimeoutMillis(limits.requestMillis())
                .build(service);
    }
}
