package io.sluice.node.http;

import io.sluice.http.Kind;
import io.sluice.http.Pools;
import io.sluice.http.ServerRoutes;
import java.util.concurrent.Executor;

/**
 * Where a node works.
 *
 * @param requests what is quick; pieces of streams
 * @param bodies writes what arrives to disk and takes it in; it has a thread and a place for every upload, and each
 *     upload has one task at most in it, so it never rejects
 * @param steps settling, digests: minutes; not waited for when the server closes, because the node's own closing ends
 *     them
 * @param reads rows by key, and the beginnings of scans
 * @param imports what begins, changes and ends imports and tables
 * @param statements those of SQL: mostly quick, but one may change a million rows
 * @param transactions reads and commits for other nodes
 * @param decisions what ends a transaction; apart from all others, so that nothing keeps out a decision
 */
record NodePools(
        Executor requests,
        Executor bodies,
        Executor steps,
        Kind reads,
        Kind imports,
        Kind statements,
        Kind transactions,
        Kind decisions) {
    /** A digest reads with several threads of its own. */
    private static final int STEP_THREADS = 4;

    private static final int WAITING_STEPS = 32;
    private static final int THREADS = 16;
    private static final int WAITING = 256;
    private static final int WAITING_IMPORTS = 112;
    private static final int DECISION_THREADS = 8;

    static NodePools of(ServerRoutes server, NodeLimits limits) {
        Pools pools = server.pools();
        return new NodePools(
                server.requests(),
                pools.add("body", limits.uploads(), limits.uploads(), Pools.AtEnd.AWAITED),
                pools.add("step", STEP_THREADS, WAITING_STEPS, Pools.AtEnd.LEFT),
                server.kind("read", THREADS, WAITING, Pools.AtEnd.AWAITED),
                server.kind("import", THREADS, WAITING_IMPORTS, Pools.AtEnd.AWAITED),
                // The engine's own closing ends them.
                server.kind("sql", THREADS, WAITING, Pools.AtEnd.LEFT),
                server.kind("transaction", THREADS, WAITING, Pools.AtEnd.AWAITED),
                server.kind("decision", DECISION_THREADS, WAITING, Pools.AtEnd.AWAITED));
    }
}
