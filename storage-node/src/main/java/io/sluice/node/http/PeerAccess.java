package io.sluice.node.http;

import io.sluice.api.error.BadInputException;
import io.sluice.api.wire.Loopback;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a node asks others what became of transactions. The token goes to nodes that the operator has named and to no
 * other: not to an address that a request names.
 *
 * @param token what the named nodes want to see, or null; never printed
 * @param trusted certificates to trust instead of the system's, in PEM; null: the system's
 * @param nodes the other nodes: {@code http://HOST:PORT} or {@code https://HOST:PORT}; when there are none, addresses
 *     that requests name are asked, on this machine only and without the token
 */
public record PeerAccess(@Nullable String token, @Nullable Path trusted, List<String> nodes) {
    /** Nodes of this machine, without a token. */
    public static final PeerAccess OPEN = new PeerAccess(null, null, List.of());

    /**
     * Checks the nodes.
     *
     * @throws BadInputException when the token would go over a network without TLS
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
