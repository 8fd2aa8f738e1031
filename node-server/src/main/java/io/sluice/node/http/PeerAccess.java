package io.sluice.node.http;

import io.sluice.client.RemoteSettings;
import io.sluice.model.error.BadInputException;
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

    private static final long ANSWER_MILLIS = 10_000;

    /**
     * Validates the nodes.
     *
     * @throws BadInputException if the token would be sent over a network without TLS
     */
    public PeerAccess {
        nodes = List.copyOf(nodes);
        for (String node : nodes) {
            RemoteSettings unused = RemoteSettings.of(node).withToken(token);
        }
    }

    /** The connection to an address: one short try, with the token only if the operator has named that address. */
    RemoteSettings settings(String address) {
        return RemoteSettings.of(address)
                .withTrusted(trusted)
                .withToken(nodes.contains(address) ? token : null)
                .withPatience(0, 0)
                .withAnswerMillis(ANSWER_MILLIS);
    }

    @Override
    public String toString() {
        return "(access to other nodes)";
    }
}
