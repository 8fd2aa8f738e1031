package io.sluice.node.http;

import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.wire.Loopback;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteParticipant;
import io.sluice.client.RemoteSettings;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.sql.distributed.Peers;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks the last agents of this node's branches in doubt. It sends the token only to nodes that the operator has named,
 * never to an address from a request. Requests are rare, so each has a connection of its own; the caller retries.
 * Thread-safe.
 */
public final class HttpPeers implements Peers {
    private static final long ANSWER_MILLIS = 10_000;

    private final @Nullable String token;
    private final @Nullable Path trusted;
    private final List<String> nodes;
    /** Address at which a node answered last, by node id. */
    private final Map<String, String> found = new ConcurrentHashMap<>();

    /**
     * Creates the access to peers.
     *
     * @param token token of the named nodes, or null; never printed
     * @param trusted PEM file of certificates to trust instead of the system's, or null
     * @param nodes the other nodes: {@code http://HOST:PORT} or {@code https://HOST:PORT}. If empty, the node asks
     *     addresses from requests, on this machine only and without the token
     * @throws BadInputException if the token would be sent over a network without TLS
     */
    public HttpPeers(@Nullable String token, @Nullable Path trusted, List<String> nodes) {
        this.token = token;
        this.trusted = trusted;
        this.nodes = List.copyOf(nodes);
        for (String node : nodes) {
            RemoteSettings unused = RemoteSettings.of(node).withToken(token);
        }
    }

    /** Access to nodes on this machine, without a token. */
    public static HttpPeers onThisMachine() {
        return new HttpPeers(null, null, List.of());
    }

    @Override
    public void ensureAskable(LastAgent lastAgent) {
        String reason = notAskable(lastAgent);
        if (reason != null) {
            throw new StatementException(SqlErrorCode.UNSUPPORTED, reason);
        }
    }

    private @Nullable String notAskable(LastAgent lastAgent) {
        if (!nodes.isEmpty()) {
            return null;
        }
        if (token != null) {
            return "the node could not ask " + lastAgent
                    + " for the outcome of a transaction: it sends its token to"
                    + " named nodes only; start it with --peers";
        }
        return Loopback.is(String.valueOf(URI.create(lastAgent.address()).getHost()))
                ? null
                : "the node could not ask " + lastAgent
                        + " for the outcome of a transaction: it asks only named nodes on"
                        + " other machines; start it with --peers";
    }

    @Override
    public Outcome outcome(LastAgent lastAgent, UUID transaction) {
        return ask(lastAgent, node -> node.outcome(transaction));
    }

    @Override
    public void forget(LastAgent lastAgent, UUID transaction, String node) {
        ask(lastAgent, agent -> {
            agent.forget(transaction, List.of(node));
            return node;
        });
    }

    /** Asks the candidate addresses in turn; a node with another id rejects the request. */
    private <T> T ask(LastAgent lastAgent, Function<RemoteParticipant, T> request) {
        String reason = notAskable(lastAgent);
        if (reason != null) {
            throw new OperationFailedException(reason);
        }
        SluiceException failure = null;
        for (String address : candidates(lastAgent)) {
            try (RemoteNode node = new RemoteNode(settings(address))) {
                T answer = request.apply(node.participant(lastAgent.id()));
                found.put(lastAgent.id(), address);
                return answer;
            } catch (SluiceException e) {
                // Prefer this failure: a node that does not answer may be the last agent; a node with another id is
                // not.
                if (failure == null || e instanceof NodeUnreachableException) {
                    failure = e;
                }
            }
        }
        throw Objects.requireNonNull(failure);
    }

    /** The connection to an address: one short try, with the token only if the operator has named that address. */
    private RemoteSettings settings(String address) {
        return RemoteSettings.of(address)
                .withTrusted(trusted)
                .withToken(nodes.contains(address) ? token : null)
                .withPatience(0, 0)
                .withAnswerMillis(ANSWER_MILLIS);
    }

    /** Returns the possible addresses of a node, most likely first; not empty. */
    private Set<String> candidates(LastAgent lastAgent) {
        if (nodes.isEmpty()) {
            return Set.of(lastAgent.address());
        }
        Set<String> candidates = new LinkedHashSet<>();
        String known = found.get(lastAgent.id());
        if (known != null) {
            candidates.add(known);
        }
        if (nodes.contains(lastAgent.address())) {
            candidates.add(lastAgent.address());
        }
        candidates.addAll(nodes);
        return candidates;
    }
}
