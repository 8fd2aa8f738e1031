package io.sluice.node.http;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.MediaType;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.ImportStep;
import io.sluice.http.Endpoint;
import io.sluice.http.ServerRoutes;
import io.sluice.node.StorageNode;
import java.util.Map;
import java.util.concurrent.Semaphore;

/** Which request goes where: docs/node-api.md as code. */
final class Routes {
    static final String SST_ID = "sst";
    static final String IMPORT_ID = "import";
    static final String TABLE = "table";
    static final String NOTE = "note";
    static final String PART = "part";
    static final String SESSION = "session";
    static final String TRANSACTION = "transaction";

    private static final MediaType JSON_LINES = MediaType.parse("application/x-ndjson");
    private static final String ONE_TABLE = ApiPaths.TABLES + "/{" + TABLE + "}";
    private static final String ONE_IMPORT = ApiPaths.IMPORTS + "/{" + IMPORT_ID + "}";

    private final ServerRoutes server;
    private final NodeLimits limits;

    private Routes(ServerRoutes server, NodeLimits limits) {
        this.server = server;
        this.limits = limits;
    }

    /** Adds all routes to a server. */
    static void add(ServerRoutes server, StorageNode node, NodeLimits limits) {
        Routes routes = new Routes(server, limits);
        NodePools pools = NodePools.of(server, limits);
        Sessions sessions = new Sessions(node);
        Steps steps = new Steps(pools.steps(), limits.stepMillis());
        TableService tables = new TableService(node, steps, pools, limits, new Semaphore(limits.scans()));
        routes.addNode(node, new NodeService(node, server.registry()), tables);
        routes.addTables(tables);
        routes.addImports(new ImportService(sessions, steps));
        routes.addSql(new SqlService(node.sql()), pools);
        routes.addTransactions(new TransactionService(node.sql().participation()), pools);
        Semaphore uploads = new Semaphore(limits.uploads());
        SstMetrics metrics = new SstMetrics(server.registry(), uploads, limits.uploads());
        routes.addBodies(
                new SstService(sessions, pools, limits, uploads, metrics),
                new ShuffleService(sessions, pools, limits, uploads, metrics));
    }

    private void addNode(StorageNode node, NodeService about, TableService tables) {
        server.health();
        server.metrics(about::measure);
        server.small(HttpMethod.GET, ApiPaths.NODE, about::status);
        server.small(
                HttpMethod.GET,
                ApiPaths.LSM,
                request -> tables.streamed(request.ctx(), JSON_LINES, () -> LogLines.open(node.lsmLog())));
    }

    private void addTables(TableService tables) {
        server.small(HttpMethod.GET, ApiPaths.TABLES, tables::all);
        server.small(HttpMethod.GET, ONE_TABLE, tables::one);
        server.small(HttpMethod.DELETE, ONE_TABLE, tables::drop);
        server.small(HttpMethod.GET, ONE_TABLE + "/rows", tables::rows);
        server.small(HttpMethod.GET, ONE_TABLE + "/tuning", tables::tuning);
        server.small(HttpMethod.PUT, ONE_TABLE + "/tuning", tables::tune);
        server.small(HttpMethod.GET, ONE_TABLE + "/digest", tables::digest);
    }

    private void addImports(ImportService imports) {
        server.small(HttpMethod.POST, ApiPaths.IMPORTS, imports::begin);
        server.small(HttpMethod.GET, ONE_IMPORT, imports::state);
        server.small(HttpMethod.DELETE, ONE_IMPORT, imports::undo);
        server.small(HttpMethod.PUT, ONE_IMPORT + "/directory", imports::assign);
        server.small(HttpMethod.GET, ONE_IMPORT + "/notes", imports::notes);
        server.small(HttpMethod.PUT, ONE_IMPORT + "/notes/{" + NOTE + "}", imports::note);
        server.small(HttpMethod.GET, ONE_IMPORT + "/present", imports::present);
        step(ImportStep.SETTLE, imports::settle);
        step(ImportStep.READBACK, imports::readBack);
        step(ImportStep.PUBLISH, imports::publish);
        step(ImportStep.DETACH, imports::detach);
        server.small(HttpMethod.POST, ApiPaths.INGEST, imports::ingest);
    }

    private void addSql(SqlService sql, NodePools pools) {
        long most = limits.server().bodyBytes();
        server.add(HttpMethod.POST, ApiPaths.SQL, most, new Endpoint(pools.statements(), sql::execute));
        server.add(
                HttpMethod.DELETE,
                ApiPaths.SQL + "/{" + SESSION + "}",
                most,
                new Endpoint(pools.statements(), sql::end));
    }

    private void addTransactions(TransactionService transactions, NodePools pools) {
        String one = ApiPaths.TRANSACTIONS + "/{" + TRANSACTION + "}/";
        Map<String, Endpoint.Work> steps = Map.of(
                ApiPaths.TRANSACTIONS + "/read", transactions::read,
                ApiPaths.TRANSACTIONS + "/release", transactions::release,
                one + "prepare", transactions::prepare,
                one + "commit", transactions::commit,
                one + "decide", transactions::decide,
                one + "outcome", transactions::outcome,
                one + "forget", transactions::forget);
        steps.forEach((path, work) -> server.add(
                HttpMethod.POST, path, TransactionService.MOST_BYTES, new Endpoint(pools.transactions(), work)));
    }

    private void addBodies(SstService ssts, ShuffleService shuffle) {
        server.add(HttpMethod.PUT, ApiPaths.SSTS + "/{" + SST_ID + "}", limits.sstBytes(), ssts);
        server.add(
                HttpMethod.POST,
                ApiPaths.SHUFFLE + "/{" + IMPORT_ID + "}/{" + PART + "}",
                limits.batchBytes(),
                shuffle);
    }

    private void step(ImportStep step, Endpoint.Work work) {
        server.small(HttpMethod.POST, ONE_IMPORT + "/" + step.path(), work);
    }
}
