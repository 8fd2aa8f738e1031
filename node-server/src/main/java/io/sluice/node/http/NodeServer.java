package io.sluice.node.http;

import com.linecorp.armeria.server.ServiceConfig;
import io.sluice.api.wire.ApiPaths;
import io.sluice.http.HttpServer;
import io.sluice.http.HttpSettings;
import io.sluice.http.ServerProfile;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Daemons;
import io.sluice.node.StorageNode;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.distributed.Resolver;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP server of one {@link StorageNode}. The caller opens the node and its SQL engine before it starts the server,
 * and closes them after the server. When {@link #close} returns, no request uses the node, except long-running
 * operations, which end when the node is closed.
 */
public final class NodeServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeServer.class);
    /** Interval of the search for imports whose clients are silent: a fraction of the shortest lease. */
    private static final long EXPIRY_MILLIS = 5_000;

    private final HttpServer server;
    private final Resolver resolver;
    private final ScheduledExecutorService expiry;

    private NodeServer(HttpServer server, Resolver resolver, StorageNode node, @Nullable Membership membership) {
        this.server = server;
        this.resolver = resolver;
        expiry = Executors.newSingleThreadScheduledExecutor(Daemons.named("sluice-node-expiry"));
        var unused = expiry.scheduleWithFixedDelay(
                () -> removeExpired(node, membership), EXPIRY_MILLIS, EXPIRY_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** An import stays while this node may lack an entry of its cluster's log that has published it. */
    static void removeExpired(StorageNode node, @Nullable Membership membership) {
        try {
            if (membership == null || membership.outdated() == null) {
                node.removeExpiredImports();
            }
        } catch (RuntimeException e) {
            LOG.warn("imports whose clients are silent could not be removed: {}; trying again", e.getMessage());
        }
    }

    /** Starts a server whose peers need no token. */
    public static NodeServer start(StorageNode node, SqlEngine sql, HttpSettings settings, NodeLimits limits) {
        return start(node, sql, settings, limits, HttpPeers.onThisMachine(), null);
    }

    /**
     * Starts to listen and serve.
     *
     * @param peers access to other nodes, to ask for outcomes of transactions
     * @param membership the node's membership in a cluster, which the caller closes after the server; null for none
     * @throws OperationFailedException if the address is in use or not local
     * @throws io.sluice.model.error.BadInputException if the certificate is unusable
     */
    public static NodeServer start(
            StorageNode node,
            SqlEngine sql,
            HttpSettings settings,
            NodeLimits limits,
            HttpPeers peers,
            @Nullable Membership membership) {
        ServerProfile profile = new ServerProfile(
                "node",
                "sluice.http",
                ServerProfile.reading(ApiPaths.HEALTH),
                path -> path.startsWith(ApiPaths.TRANSACTIONS),
                node.workDirectory().toAbsolutePath().getParent());
        HttpServer server = HttpServer.start(
                settings, limits.server(), profile, routes -> Routes.add(routes, node, sql, limits, peers, membership));
        return new NodeServer(server, sql.resolver(peers, membership), node, membership);
    }

    /** The address it listens on, with the actual port if port 0 was requested. */
    public InetSocketAddress address() {
        return server.address();
    }

    /** The URL for clients: scheme, host and port. */
    public String url() {
        return server.url();
    }

    /** All routes, for tests that cover each of them. */
    List<ServiceConfig> routes() {
        return server.routes();
    }

    /** Rejects new requests, waits a limited time for running ones, and stops. */
    @Override
    public void close() {
        expiry.shutdown();
        awaitExpiry();
        resolver.close();
        server.close();
    }

    /** Waits until no import is being removed: the caller closes the node next. */
    private void awaitExpiry() {
        try {
            boolean unused = expiry.awaitTermination(EXPIRY_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
