package io.sluice.node.http;

import io.sluice.api.wire.Loopback;
import io.sluice.model.error.BadInputException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Access of a node to its peers, to ask for outcomes of transactions. It sends the token only to nodes that the
 * operator has named, never to an address from a request.
 *
 * @param token token of the named nodes, or null; never printed
 * @param trusted PEM file of certificates to trust instead of the system's, or null
 * @param nodes the other nodes: {@code http://HOST:PORT} or {@code https://HOST:PORT}. If empty, the node asks
 *     addresses from requests, on this machine only and without the token
 */
public record PeerAccess(@Nullable String token, @Nullable Path trusted, List<String> nodes) {
    /** Access to nodes on this machine, without a token. */
    public static final PeerAccess OPEN = new PeerAccess(null, null, List.of());

    /**
     * Validates the nodes.
     *
     * @throws BadInputException if the token would be sent over a network without TLS
     */
    public PeerAccess {
        nodes = List.copyOf(nodes);
        for (String node : nodes) {
            URI uri = URI.create(node);
            if (token != null && !"https".equals(uri.getScheme()) && !Loopback.is(String.valueOf(uri.getHost()))) {
                throw new BadInputException("peer " + node + ": a token is not sent over a network without TLS; name it"
                        + " https://" + uri.getAuthority());
            }
        }
    }

    @Override
    public String toString() {
        return "(access to other nodes)";
    }
}
