package io.sluice.node.http;

import com.linecorp.armeria.common.HttpMethod;
import io.sluice.api.node.NodeClient;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.DigestBody;
import io.sluice.http.Endpoint;
import io.sluice.http.Role;
import io.sluice.http.ServerRoutes;
import io.sluice.sql.SqlEngine;
import java.util.function.UnaryOperator;

/**
 * The routes of tables, their rows, digests and tunings, of statements, and of long-running operations. A node has
 * them, and an import service, so that its tables can be read while it runs.
 */
public final class TableRoutes {
    static final String TABLE = "table";
    static final String SESSION = "session";
    static final String OPERATION = "operation";

    private static final String ONE_TABLE = ApiPaths.TABLES + "/{" + TABLE + "}";

    private final ServerRoutes server;
    private final NodeLimits limits;
    private final NodePools.Tables pools;
    private final Operations operations;
    private final TableService tables;
    private final UnaryOperator<Endpoint.Work> changing;
    private final UnaryOperator<Endpoint.Work> reading;

    private TableRoutes(
            ServerRoutes server,
            NodeLimits limits,
            NodePools.Tables pools,
            Operations operations,
            TableService tables,
            UnaryOperator<Endpoint.Work> changing,
            UnaryOperator<Endpoint.Work> reading) {
        this.server = server;
        this.limits = limits;
        this.pools = pools;
        this.operations = operations;
        this.tables = tables;
        this.changing = changing;
        this.reading = reading;
    }

    static TableRoutes of(
            ServerRoutes server,
            NodeLimits limits,
            NodePools.Tables pools,
            NodeClient node,
            TableService.Digests digests,
            TableService.Holding holding,
            UnaryOperator<Endpoint.Work> changing,
            UnaryOperator<Endpoint.Work> reading) {
        Operations operations = new Operations(pools.steps(), limits.stepMillis(), System::nanoTime);
        TableService tables = new TableService(
                node,
                digests,
                holding,
                operations,
                server.requests(),
                limits.server().stallMillis(),
                server.places("scans", limits.scans()));
        return new TableRoutes(server, limits, pools, operations, tables, changing, reading);
    }

    /**
     * Adds the routes to a server that is not a node.
     *
     * @param changing decorates the handlers that may change something
     * @param tables has the tables; the caller closes it after the server
     * @param sql executes statements on them; the caller closes it after the server
     */
    public static void add(
            ServerRoutes server, UnaryOperator<Endpoint.Work> changing, NodeClient tables, SqlEngine sql) {
        NodeLimits defaults = NodeLimits.defaults();
        of(
                        server,
                        defaults.withServer(server.limits()),
                        NodePools.Tables.of(server),
                        tables,
                        (table, spans) ->
                                DigestBody.of(spans.isEmpty() ? tables.digest(table) : tables.digest(table, spans)),
                        (table, spans) -> {},
                        changing,
                        UnaryOperator.identity())
                .add(sql);
    }

    void add(SqlEngine engine) {
        addTables();
        addOperations();
        addSql(new SqlService(engine, pools.statements(), limits.server().stallMillis()));
    }

    Operations operations() {
        return operations;
    }

    TableService tables() {
        return tables;
    }

    private void addTables() {
        server.small(HttpMethod.GET, ApiPaths.TABLES, tables::all);
        server.small(HttpMethod.GET, ONE_TABLE, tables::one);
        server.add(Role.OPERATE, HttpMethod.DELETE, ONE_TABLE, pools.imports(), changing.apply(tables::drop));
        server.add(Role.READ, HttpMethod.GET, ONE_TABLE + "/rows", pools.reads(), reading.apply(tables::rows));
        server.add(Role.READ, HttpMethod.GET, ONE_TABLE + "/splits", pools.reads(), tables::splits);
        server.add(Role.READ, HttpMethod.GET, ONE_TABLE + "/kvs", pools.reads(), reading.apply(tables::kvs));
        server.small(HttpMethod.GET, ONE_TABLE + "/tuning", tables::tuning);
        server.add(Role.OPERATE, HttpMethod.PUT, ONE_TABLE + "/tuning", pools.imports(), changing.apply(tables::tune));
        server.small(HttpMethod.GET, ONE_TABLE + "/digest", reading.apply(tables::digest));
    }

    private void addOperations() {
        String one = ApiPaths.OPERATIONS + "/{" + OPERATION + "}";
        server.small(HttpMethod.GET, ApiPaths.OPERATIONS, operations::list);
        server.small(HttpMethod.GET, one, operations::show);
        server.small(Role.READ, HttpMethod.DELETE, one, operations::cancel);
    }

    private void addSql(SqlService sql) {
        // The statements decide on the role.
        server.add(
                Role.READ,
                HttpMethod.POST,
                ApiPaths.SQL,
                pools.statements(),
                reading.apply(changing.apply(sql::execute)));
        server.add(Role.READ, HttpMethod.DELETE, ApiPaths.SQL + "/{" + SESSION + "}", pools.statements(), sql::end);
    }
}
