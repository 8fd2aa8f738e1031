package io.sluice.node.http;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.Route;
import com.linecorp.armeria.server.ServerBuilder;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.ImportStep;
import io.sluice.node.StorageNode;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/** Which request goes where: docs/node-api.md as code. */
final class Routes {
    static final String SST_ID = "sst";
    static final String IMPORT_ID = "import";
    static final String TABLE = "table";
    static final String NOTE = "note";
    static final String PART = "part";

    private static final MediaType JSON_LINES = MediaType.parse("application/x-ndjson");
    private static final String ONE_TABLE = ApiPaths.TABLES + "/{" + TABLE + "}";
    private static final String ONE_IMPORT = ApiPaths.IMPORTS + "/{" + IMPORT_ID + "}";

    private final ServerBuilder server;
    private final HttpLimits limits;

    private Routes(ServerBuilder server, HttpLimits limits) {
        this.server = server;
        this.limits = limits;
    }

    /** Adds all routes to a server. */
    static void add(
            ServerBuilder server,
            StorageNode node,
            HttpLimits limits,
            Pools pools,
            PrometheusMeterRegistry registry,
            BooleanSupplier closing) {
        Routes routes = new Routes(server, limits);
        Sessions sessions = new Sessions(node);
        Steps steps = new Steps(pools.steps(), limits.stepMillis());
        TableService tables = new TableService(node, steps, pools, limits, new Semaphore(limits.scans()));
        Executor pool = pools.requests();
        routes.addNode(node, new NodeService(node, registry, closing), tables, pool);
        routes.addTables(tables, pool);
        routes.addImports(new ImportService(sessions, steps), pool);
        Semaphore uploads = new Semaphore(limits.uploads());
        SstMetrics metrics = new SstMetrics(registry, uploads, limits.uploads());
        routes.addBodies(
                new SstService(sessions, pools, limits, uploads, metrics),
                new ShuffleService(sessions, pools, limits, uploads, metrics));
    }

    private void addNode(StorageNode node, NodeService about, TableService tables, Executor pool) {
        // Asked for often and answered at once: it waits for no thread.
        small(HttpMethod.GET, ApiPaths.HEALTH, new Endpoint(Runnable::run, about::health));
        small(HttpMethod.GET, ApiPaths.METRICS, new Endpoint(pool, about::metrics));
        small(HttpMethod.GET, ApiPaths.NODE, new Endpoint(pool, about::status));
        small(
                HttpMethod.GET,
                ApiPaths.LSM,
                new Endpoint(
                        pool,
                        request -> tables.streamed(request.ctx(), JSON_LINES, () -> LogLines.open(node.lsmLog()))));
    }

    private void addTables(TableService tables, Executor pool) {
        small(HttpMethod.GET, ApiPaths.TABLES, new Endpoint(pool, tables::all));
        small(HttpMethod.GET, ONE_TABLE, new Endpoint(pool, tables::one));
        small(HttpMethod.DELETE, ONE_TABLE, new Endpoint(pool, tables::drop));
        small(HttpMethod.GET, ONE_TABLE + "/rows", new Endpoint(pool, tables::rows));
        small(HttpMethod.GET, ONE_TABLE + "/digest", new Endpoint(pool, tables::digest));
    }

    private void addImports(ImportService imports, Executor pool) {
        small(HttpMethod.POST, ApiPaths.IMPORTS, new Endpoint(pool, imports::begin));
        small(HttpMethod.GET, ONE_IMPORT, new Endpoint(pool, imports::state));
        small(HttpMethod.DELETE, ONE_IMPORT, new Endpoint(pool, imports::undo));
        small(HttpMethod.PUT, ONE_IMPORT + "/directory", new Endpoint(pool, imports::assign));
        small(HttpMethod.GET, ONE_IMPORT + "/notes", new Endpoint(pool, imports::notes));
        small(HttpMethod.PUT, ONE_IMPORT + "/notes/{" + NOTE + "}", new Endpoint(pool, imports::note));
        small(HttpMethod.GET, ONE_IMPORT + "/present", new Endpoint(pool, imports::present));
        step(ImportStep.SETTLE, new Endpoint(pool, imports::settle));
        step(ImportStep.READBACK, new Endpoint(pool, imports::readBack));
        step(ImportStep.PUBLISH, new Endpoint(pool, imports::publish));
        step(ImportStep.DETACH, new Endpoint(pool, imports::detach));
        small(HttpMethod.POST, ApiPaths.INGEST, new Endpoint(pool, imports::ingest));
    }

    private void addBodies(SstService ssts, ShuffleService shuffle) {
        add(HttpMethod.PUT, ApiPaths.SSTS + "/{" + SST_ID + "}", limits.sstBytes(), ssts);
        add(HttpMethod.POST, ApiPaths.SHUFFLE + "/{" + IMPORT_ID + "}/{" + PART + "}", limits.batchBytes(), shuffle);
    }

    private void step(ImportStep step, HttpService service) {
        small(HttpMethod.POST, ONE_IMPORT + "/" + step.path(), service);
    }

    private void small(HttpMethod method, String path, HttpService service) {
        add(method, path, limits.jsonBytes(), service);
    }

    private void add(HttpMethod method, String path, long maxBytes, HttpService service) {
        server.route()
                .addRoute(Route.builder().methods(method).path(path).build())
                .maxRequestLength(maxBytes)
                .requestTimeoutMillis(limits.requestMillis())
                .build(service);
    }
}
