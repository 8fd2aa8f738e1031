package io.sluice.node.http;

import com.linecorp.armeria.server.ServiceConfig;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.wire.ApiPaths;
import io.sluice.http.HttpServer;
import io.sluice.http.HttpSettings;
import io.sluice.http.OpenRequests;
import io.sluice.http.ServerProfile;
import io.sluice.node.StorageNode;
import io.sluice.node.distributed.Resolver;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A storage node on the network. Serves one {@link StorageNode}, which the caller opens before and closes after:
 * {@link #close} returns when no request touches it any more, but for long steps, whose end the node's own closing
 * brings.
 */
public final class NodeServer implements AutoCloseable {
    private final HttpServer server;
    private final Resolver resolver;

    private NodeServer(HttpServer server, Resolver resolver) {
        this.server = server;
        this.resolver = resolver;
    }

    /** The same, among nodes that want no token. */
    public static NodeServer start(StorageNode node, HttpSettings settings, NodeLimits limits) {
        return start(node, settings, limits, PeerAccess.OPEN);
    }

    /**
     * Listens, and serves from now on.
     *
     * @param peers how other nodes are asked what became of transactions
     * @throws OperationFailedException when the address is taken or not this machine's
     * @throws io.sluice.api.error.BadInputException when the certificate is unusable
     */
    public static NodeServer start(StorageNode node, HttpSettings settings, NodeLimits limits, PeerAccess peers) {
        ServerProfile profile = new ServerProfile(
                "node",
                "sluice.http",
                OpenRequests.reading(ApiPaths.HEALTH),
                path -> path.startsWith(ApiPaths.TRANSACTIONS),
                node.workDirectory().toAbsolutePath().getParent());
        HttpPeers others = new HttpPeers(peers);
        HttpServer server = HttpServer.start(
                settings, limits.server(), profile, routes -> Routes.add(routes, node, limits, others));
        return new NodeServer(server, node.sql().resolver(others));
    }

    /** Where it listens, with the port that was found if any would do. */
    public InetSocketAddress address() {
        return server.address();
    }

    /** What clients call it by: scheme, host and port. */
    public String url() {
        return server.url();
    }

    /** For tests that must not forget a route. */
    List<ServiceConfig> routes() {
        return server.routes();
    }

    /** Turns new requests away, gives those under way some time, and ends. */
    @Override
    public void close() {
        resolver.close();
        server.close();
    }
}
