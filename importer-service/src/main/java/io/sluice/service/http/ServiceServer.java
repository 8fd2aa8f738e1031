package io.sluice.service.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.logging.RequestLogProperty;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.wire.ApiPaths;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.Caller;
import io.sluice.http.Endpoint;
import io.sluice.http.HttpServer;
import io.sluice.http.HttpSettings;
import io.sluice.http.Kind;
import io.sluice.http.Pools;
import io.sluice.http.RequestLimits;
import io.sluice.http.Role;
import io.sluice.http.ServerLimits;
import io.sluice.http.ServerProfile;
import io.sluice.http.ServerRoutes;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobState;
import io.sluice.service.observe.AuditLog;
import io.sluice.service.observe.ServiceMetrics;
import io.sluice.service.run.JobRuns;
import io.sluice.service.run.RunSettings;
import io.sluice.service.run.Target;
import io.sluice.service.spec.SourceRoots;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;

/** The HTTP server of the service and its routes. */
public final class ServiceServer implements AutoCloseable {
    private static final String IMPORTS = "/v1/imports";
    private static final String ONE = IMPORTS + "/{" + ImportsApi.ID + "}";
    private static final String TABLE = ApiPaths.TABLES + "/{" + TargetApi.TABLE + "}";
    /** Threads for plans: a plan samples 16 MiB of input; four at a time leave the cores to the jobs. */
    private static final int SLOW_THREADS = 4;

    private static final int SLOW_WAITING = 32;
    /** Readiness; a service that stands by answers as the one that runs the jobs. */
    private static final String READY = "/readyz";

    private static final MediaType YAML = MediaType.parse("application/yaml; charset=utf-8");

    private final HttpServer server;
    private final EventStreams events;

    private ServiceServer(HttpServer server, EventStreams events) {
        this.server = server;
        this.events = events;
    }

    /** The tables that jobs import into. */
    @FunctionalInterface
    public interface Tables {
        /**
         * Adds their routes to a server.
         *
         * @param audited decorates the handler of requests that may change something
         */
        void addTo(ServerRoutes routes, UnaryOperator<Endpoint.Work> audited);
    }

    /**
     * The parts of the service that the server uses; owned by the caller.
     *
     * @param queueLimit maximum number of pending jobs
     * @param tables adds the routes of the tables that jobs import into
     */
    public record Parts(
            JobRegistry jobs,
            JobRuns runs,
            Target target,
            SourceRoots roots,
            RunSettings settings,
            AuditLog audit,
            int queueLimit,
            Tables tables) {}

    /**
     * Starts the server.
     *
     * @throws io.sluice.model.error.OperationFailedException if the address is in use or not an address of this machine
     */
    public static ServiceServer start(Parts parts, HttpSettings http, ServerLimits limits) {
        JobResource resource = new JobResource(parts.runs);
        EventStreams events = new EventStreams(parts.jobs, resource, limits.stallMillis());
        try {
            HttpServer server =
                    HttpServer.start(http, limits, profile(), routes -> add(routes, parts, resource, events));
            return new ServiceServer(server, events);
        } catch (RuntimeException | Error e) {
            events.close();
            throw e;
        }
    }

    /** The properties of the server, also while the service stands by. */
    public static ServerProfile profile() {
        BiPredicate<HttpMethod, String> open = ServerProfile.reading(ApiPaths.HEALTH)
                .or(ServerProfile.reading(READY))
                .or(ConsoleFiles.open());
        return new ServerProfile("service", "sluice.service.http", open, path -> false, null);
    }

    private static void add(ServerRoutes routes, Parts parts, JobResource resource, EventStreams events) {
        Kind slow = routes.kind("slow", SLOW_THREADS, SLOW_WAITING, Pools.AtEnd.AWAITED);
        ServiceMetrics.register(routes.registry(), parts.jobs, parts.settings, parts.runs::nodes);
        routes.onForbidden(ctx -> {
            if (ctx.method() != HttpMethod.GET) {
                audit(parts.audit, ctx, HttpStatus.FORBIDDEN.code());
            }
        });
        routes.health();
        routes.health(READY, "ready");
        routes.metrics(() -> {});
        routes.small(HttpMethod.GET, "/v1/service", request -> Answers.ok(about(parts, request)));
        byte[] description = description();
        routes.small(HttpMethod.GET, "/openapi.yaml", request -> HttpResponse.of(HttpStatus.OK, YAML, description));
        addImports(routes, slow, parts, resource, events);
        addTables(routes, slow, parts);
        ConsoleFiles.add(routes);
    }

    private static void addImports(
            ServerRoutes routes, Kind slow, Parts parts, JobResource resource, EventStreams events) {
        Creation creation = new Creation(parts.jobs, parts.roots, parts.runs, resource);
        ImportsApi api = new ImportsApi(parts.jobs, parts.runs, parts.target, creation, resource, parts.audit);
        routes.add(Role.SUBMIT, HttpMethod.POST, IMPORTS, slow, api::create);
        routes.small(HttpMethod.GET, IMPORTS, api::list);
        routes.small(HttpMethod.GET, ONE, api::get);
        routes.small(Role.SUBMIT, HttpMethod.POST, ONE, api::act);
        routes.small(HttpMethod.GET, ONE + "/files", api::files);
        routes.small(HttpMethod.GET, ONE + "/rejects", api::rejects);
        routes.small(HttpMethod.GET, ONE + "/rejects/groups", api::rejectGroups);
        routes.small(HttpMethod.GET, ONE + "/conflicts", api::conflicts);
        routes.small(HttpMethod.GET, ONE + "/samples", api::samples);
        routes.small(HttpMethod.GET, ONE + "/verification", api::verification);
        routes.add(Role.READ, HttpMethod.GET, ONE + "/lsm", slow, api::lsm);
        RequestLimits watchers = routes.places("watchers", EventStreams.MOST_STREAMS);
        routes.small(
                HttpMethod.GET, ONE + "/events", request -> events.open(request.ctx(), api.job(request), watchers));
        routes.small(HttpMethod.GET, "/v1/events", request -> events.open(request.ctx(), null, watchers));
        Previews previews = new Previews(parts.runs, parts.roots);
        routes.add(Role.SUBMIT, HttpMethod.GET, "/v1/files", slow, previews::files);
        routes.add(Role.SUBMIT, HttpMethod.POST, "/v1/preview", slow, previews::preview);
    }

    private static void addTables(ServerRoutes routes, Kind slow, Parts parts) {
        TargetApi target = new TargetApi(parts.target);
        routes.add(Role.READ, HttpMethod.GET, "/v1/nodes", slow, target::nodes);
        routes.add(Role.READ, HttpMethod.GET, TABLE + "/lsm", slow, target::lsm);
        parts.tables.addTo(routes, work -> audited(work, parts.audit));
    }

    private static Endpoint.Work audited(Endpoint.Work work, AuditLog audit) {
        return request -> {
            ServiceRequestContext ctx = request.ctx();
            CompletableFuture<Void> unused = ctx.log()
                    .whenAvailable(RequestLogProperty.RESPONSE_HEADERS)
                    .thenAccept(log ->
                            audit(audit, ctx, log.responseHeaders().status().code()));
            return work.answer(request);
        };
    }

    private static void audit(AuditLog audit, ServiceRequestContext ctx, int status) {
        audit.log(sender(ctx), ctx.method() + " " + ctx.path(), null, status, null);
    }

    static AuditLog.Sender sender(ServiceRequestContext ctx) {
        Caller caller = Caller.of(ctx);
        return new AuditLog.Sender(
                ApiRequest.id(ctx),
                ctx.remoteAddress().getAddress().getHostAddress(),
                caller == null ? null : caller.name());
    }

    private static ObjectNode about(Parts parts, ApiRequest request) {
        ObjectNode about = JsonNodeFactory.instance.objectNode();
        Caller caller = Caller.of(request.ctx());
        if (caller != null) {
            about.put("token", caller.name());
        }
        about.put("role", (caller == null ? Role.OPERATE : caller.role()).label());
        about.put("version", parts.settings.version());
        long active = 0;
        for (JobState state : JobState.values()) {
            active += state.isActive() ? parts.jobs.in(state) : 0;
        }
        about.put("running", active);
        about.put("pending", parts.jobs.in(JobState.PENDING));
        about.put("slots", parts.settings.slots());
        about.put("queueLimit", parts.queueLimit);
        about.put("memoryBytes", parts.settings.memoryBytes());
        parts.roots.names().forEach(about.putArray("roots")::add);
        NodeStatus status = parts.runs.nodes();
        ArrayNode nodes = about.putArray("nodes");
        if (status != null) {
            nodes.addObject()
                    .put("id", status.id())
                    .put("height", status.load().height())
                    .put("files", status.load().files())
                    .put("diskFreeBytes", status.load().diskFreeBytes())
                    .put("limiter", status.load().limiter());
        }
        return about;
    }

    private static byte[] description() {
        try (InputStream in = ServiceServer.class.getResourceAsStream("/io/sluice/service/openapi.yaml")) {
            return Objects.requireNonNull(in, "openapi.yaml is missing in the jar")
                    .readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException("openapi.yaml cannot be read", e);
        }
    }

    /** The listen address, with the actual port if the settings have port 0. */
    public InetSocketAddress address() {
        return server.address();
    }

    /** The base URL for clients: scheme, host and port. */
    public String url() {
        return server.url();
    }

    /** All routes; for tests that must cover each one. */
    public List<ServiceConfig> routes() {
        return server.routes();
    }

    @Override
    public void close() {
        events.close();
        server.close();
    }
}
