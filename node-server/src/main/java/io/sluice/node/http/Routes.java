package io.sluice.node.http;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.MediaType;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.DigestBody;
import io.sluice.api.wire.ImportStep;
import io.sluice.http.Endpoint;
import io.sluice.http.Kind;
import io.sluice.http.ServerRoutes;
import io.sluice.node.StorageNode;
import io.sluice.node.read.TableSweep;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.distributed.Peers;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The routes of docs/reference/node-api.md. */
final class Routes {
    static final String SST_ID = "sst";
    static final String IMPORT_ID = "import";
    static final String CHECKPOINT = "checkpoint";
    static final String PART = "part";
    static final String TRANSACTION = "transaction";

    private static final MediaType JSON_LINES = MediaType.parse("application/x-ndjson");
    private static final String ONE_IMPORT = ApiPaths.IMPORTS + "/{" + IMPORT_ID + "}";

    private final ServerRoutes server;
    private final NodeLimits limits;

    private Routes(ServerRoutes server, NodeLimits limits) {
        this.server = server;
        this.limits = limits;
    }

    /** Adds all routes to a server. */
    static void add(
            ServerRoutes server,
            StorageNode node,
            SqlEngine sql,
            NodeLimits limits,
            Peers peers,
            @Nullable Membership membership) {
        Routes routes = new Routes(server, limits);
        NodePools pools = NodePools.of(server, limits);
        Sessions sessions = new Sessions(node);
        TableService.Digests digests = (table, spans) -> {
            TableSweep.Result read = node.sweep(table, spans.isEmpty() ? TableSweep.EVERYTHING : spans);
            return DigestBody.of(read.digest(), read.tableId(), read.version());
        };
        ClusterService cluster = new ClusterService(membership, node.catalog());
        TableRoutes tables = TableRoutes.of(
                server,
                limits,
                pools.tables(),
                node,
                digests,
                cluster::ensureHeld,
                UnaryOperator.identity(),
                cluster::current);
        tables.add(sql);
        routes.addNode(node, new NodeService(node, server.registry()), tables.tables());
        routes.addCluster(cluster, pools.tables().imports());
        routes.addImports(
                new ImportService(sessions, tables.operations(), cluster),
                pools.tables().imports(),
                cluster);
        routes.addReplicas(
                new ReplicaService(node, sql.participant().commits(), membership), pools.replicas(), cluster);
        routes.addTransactions(new TransactionService(sql.participant(), peers, membership), pools, cluster);
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

    private void addCluster(ClusterService cluster, Kind kind) {
        server.small(HttpMethod.GET, ApiPaths.CLUSTER, cluster::cluster);
        add(HttpMethod.POST, ApiPaths.CLUSTER_CHANGES, kind, cluster::change);
        add(HttpMethod.GET, ApiPaths.CLUSTER_JOBS, kind, cluster::jobs);
        add(HttpMethod.GET, ApiPaths.CLUSTER_LEASE, kind, cluster::lease);
        add(HttpMethod.POST, ApiPaths.CLUSTER_JOBS, kind, cluster::changeJobs);
    }

    private void addReplicas(ReplicaService replicas, Kind kind, ClusterService cluster) {
        String one = ApiPaths.REPLICAS + "/{" + ReplicaService.TABLE_ID + "}";
        long most = ReplicaService.MAX_BYTES;
        server.add(HttpMethod.GET, one, most, new Endpoint(kind, cluster.current(replicas::page)));
        server.add(HttpMethod.PUT, one, most, new Endpoint(kind, replicas::begin));
        server.add(HttpMethod.DELETE, one, most, new Endpoint(kind, replicas::end));
        server.add(HttpMethod.GET, one + "/bytes", most, new Endpoint(kind, replicas::bytes));
        server.add(HttpMethod.GET, one + "/cuts", most, new Endpoint(kind, cluster.current(replicas::cuts)));
        server.add(HttpMethod.GET, one + "/state", most, new Endpoint(kind, replicas::state));
        server.add(HttpMethod.POST, one + "/changes", most, new Endpoint(kind, replicas::changes));
        server.add(HttpMethod.POST, one + "/apply", most, new Endpoint(kind, replicas::apply));
        server.add(HttpMethod.POST, one + "/replace", most, new Endpoint(kind, replicas::replace));
    }

    private void addImports(ImportService imports, Kind kind, ClusterService cluster) {
        // A node that lacks a drop would say that the table exists.
        add(HttpMethod.POST, ApiPaths.IMPORTS, kind, cluster.certain(imports::begin));
        server.small(HttpMethod.GET, ONE_IMPORT, imports::state);
        add(HttpMethod.DELETE, ONE_IMPORT, kind, imports::undo);
        add(HttpMethod.PUT, ONE_IMPORT + "/directory", kind, imports::assign);
        server.small(HttpMethod.GET, ONE_IMPORT + "/checkpoints", imports::checkpoints);
        add(HttpMethod.PUT, ONE_IMPORT + "/checkpoints/{" + CHECKPOINT + "}", kind, imports::putCheckpoint);
        server.small(HttpMethod.GET, ONE_IMPORT + "/present", imports::present);
        step(ImportStep.FINALIZE, kind, imports::finalizeIngest);
        step(ImportStep.READBACK, kind, imports::readBack);
        step(ImportStep.PUBLISH, kind, imports::publish);
        step(ImportStep.OVERLAP, kind, imports::overlap);
        step(ImportStep.HOLDERS, kind, imports::holders);
        server.add(
                HttpMethod.POST,
                ONE_IMPORT + "/" + ImportStep.REPLACE.path(),
                ReplicaService.MAX_BYTES,
                new Endpoint(kind, imports::replace));
        step(ImportStep.PREPARE, kind, imports::prepare);
        server.small(HttpMethod.POST, ONE_IMPORT + "/" + ImportStep.RENEW.path(), imports::renew);
        step(ImportStep.DETACH, kind, imports::detach);
        server.small(HttpMethod.POST, ApiPaths.INGEST, imports::ingest);
    }

    private void addTransactions(TransactionService transactions, NodePools pools, ClusterService cluster) {
        server.small(HttpMethod.GET, ApiPaths.TRANSACTIONS, transactions::inDoubt);
        String one = ApiPaths.TRANSACTIONS + "/{" + TRANSACTION + "}/";
        Map<String, Endpoint.Work> steps = Map.of(
                ApiPaths.TRANSACTIONS + "/read", cluster.current(transactions::read),
                ApiPaths.TRANSACTIONS + "/unchanged", cluster.current(transactions::unchanged),
                ApiPaths.TRANSACTIONS + "/hold", cluster.current(transactions::hold),
                ApiPaths.TRANSACTIONS + "/release", transactions::release,
                one + "prepare", cluster.current(transactions::prepare),
                one + "decision", transactions::decision,
                one + "commit", cluster.current(transactions::commit));
        Map<String, Endpoint.Work> decisions = Map.of(
                one + "decide", transactions::decide,
                one + "outcome", transactions::outcome,
                one + "resolve", transactions::resolve,
                one + "forget", transactions::forget);
        decisions.forEach((path, work) -> server.reserved(
                HttpMethod.POST, path, TransactionService.MAX_BYTES, new Endpoint(pools.decisions(), work)));
        steps.forEach((path, work) -> server.add(
                HttpMethod.POST, path, TransactionService.MAX_BYTES, new Endpoint(pools.transactions(), work)));
    }

    private void addBodies(SstService ssts, ShuffleService shuffle) {
        server.add(HttpMethod.PUT, ApiPaths.SSTS + "/{" + SST_ID + "}", limits.sstBytes(), ssts);
        server.add(
                HttpMethod.POST,
                ApiPaths.SHUFFLE + "/{" + IMPORT_ID + "}/{" + PART + "}",
                limits.batchBytes(),
                shuffle);
    }

    private void step(ImportStep step, Kind kind, Endpoint.Work work) {
        add(HttpMethod.POST, ONE_IMPORT + "/" + step.path(), kind, work);
    }

    private void add(HttpMethod method, String path, Kind kind, Endpoint.Work work) {
        server.add(method, path, limits.server().bodyBytes(), new Endpoint(kind, work));
    }
}
