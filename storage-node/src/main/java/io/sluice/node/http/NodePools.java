package io.sluice.node.http;

import io.sluice.http.Pools;
import io.sluice.http.ServerRoutes;
import java.util.concurrent.Executor;

/**
 * Where a node works.
 *
 * @param requests what is quick
 * @param bodies writes what arrives to disk and takes it in; it has a thread and a place for every upload, and each
 *     upload has one task at most in it, so it never rejects
 * @param steps settling, digests: minutes; not waited for when the server closes, because the node's own closing ends
 *     them
 * @param statements those of SQL: mostly quick, but one may change a million rows
 * @param transactions reads and commits for others, which wait for the disk at most; apart from statements, so that
 *     those never keep out a decision
 */
record NodePools(Executor requests, Executor bodies, Executor steps, Executor statements, Executor transactions) {
    /** A digest reads with several threads of its own. */
    private static final int STEP_THREADS = 4;

    private static final int WAITING_STEPS = 32;
    private static final int STATEMENT_THREADS = 16;
    private static final int WAITING_STATEMENTS = 256;

    static NodePools of(ServerRoutes server, NodeLimits limits) {
        Pools pools = server.pools();
        return new NodePools(
                server.requests(),
                pools.add("body", limits.uploads(), limits.uploads(), Pools.AtEnd.AWAITED),
                pools.add("step", STEP_THREADS, WAITING_STEPS, Pools.AtEnd.LEFT),
                // The engine's own closing ends them.
                pools.add("sql", STATEMENT_THREADS, WAITING_STATEMENTS, Pools.AtEnd.LEFT),
                pools.add("transaction", STATEMENT_THREADS, WAITING_STATEMENTS, Pools.AtEnd.AWAITED));
    }
}
