package io.sluice.node.http;

import io.sluice.http.Kind;
import io.sluice.http.Pools;
import io.sluice.http.ServerRoutes;
import java.util.concurrent.Executor;

/**
 * Thread pools of a node's HTTP API.
 *
 * @param requests quick requests, and chunks of streams
 * @param bodies writes bodies to disk and ingests them; has a thread and a queue slot per upload, and an upload has at
 *     most one task in it, so it never rejects
 * @param tables pools for tables, their rows and statements, and for requests that change tables
 * @param transactions reads, prepares and commits of distributed transactions
 * @param decisions decisions on transactions, in a pool of their own so that no other load delays them
 * @param replicas pages of replicas that are copied or compared
 */
record NodePools(Executor requests, Executor bodies, Tables tables, Kind transactions, Kind decisions, Kind replicas) {
    /** A digest reads with several threads of its own. */
    private static final int STEP_THREADS = 4;

    private static final int WAITING_STEPS = 32;
    private static final int THREADS = 16;
    private static final int WAITING = 256;
    private static final int WAITING_IMPORTS = 112;
    private static final int DECISION_THREADS = 8;
    private static final int REPLICA_THREADS = 4;
    /** A page has some MiB. */
    private static final int WAITING_PAGES = 8;

    static NodePools of(ServerRoutes server, NodeLimits limits) {
        Pools pools = server.pools();
        return new NodePools(
                server.requests(),
                pools.add("body", limits.uploads(), limits.uploads(), Pools.AtEnd.AWAITED),
                Tables.of(server),
                server.kind("transaction", THREADS, WAITING, Pools.AtEnd.AWAITED),
                server.kind("decision", DECISION_THREADS, WAITING, Pools.AtEnd.AWAITED),
                server.kind("replica", REPLICA_THREADS, WAITING_PAGES, Pools.AtEnd.AWAITED));
    }

    /**
     * Pools for tables, whatever server has them.
     *
     * @param steps long-running operations, such as finalizing and digests: minutes. Closing the server does not wait
     *     for them, because closing the node ends them
     * @param reads reads of rows by key, and starts of scans
     * @param imports requests that begin, change or end imports and tables
     * @param statements SQL statements: mostly quick, but one may change a million rows
     */
    record Tables(Executor steps, Kind reads, Kind imports, Kind statements) {
        static Tables of(ServerRoutes server) {
            return new Tables(
                    server.pools().add("step", STEP_THREADS, WAITING_STEPS, Pools.AtEnd.LEFT),
                    server.kind("read", THREADS, WAITING, Pools.AtEnd.AWAITED),
                    server.kind("import", THREADS, WAITING_IMPORTS, Pools.AtEnd.AWAITED),
                    // Closing the engine ends them.
                    server.kind("sql", THREADS, WAITING, Pools.AtEnd.LEFT));
        }
    }
}
