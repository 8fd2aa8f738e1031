package io.sluice.node.http;

import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.wire.Loopback;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteParticipant;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.sql.distributed.Peers;
import java.net.URI;
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
 * Asks the last agents of this node's branches in doubt. Requests are rare, so each has a connection of its own; the
 * caller retries. Thread-safe.
 */
public final class HttpPeers implements Peers {
    private final PeerAccess access;
    /** Address at which a node answered last, by node id. */
    private final Map<String, String> found = new ConcurrentHashMap<>();

    public HttpPeers(PeerAccess access) {
        this.access = access;
    }

    @Override
    public void ensureAskable(LastAgent lastAgent) {
        String reason = notAskable(lastAgent);
        if (reason != null) {
            throw new StatementException(SqlErrorCode.UNSUPPORTED, reason);
        }
    }

    private @Nullable String notAskable(LastAgent lastAgent) {
        if (!access.nodes().isEmpty()) {
            return null;
        }
        if (access.token() != null) {
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
            try (RemoteNode node = new RemoteNode(access.settings(address))) {
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

    /** Returns the possible addresses of a node, most likely first; not empty. */
    private Set<String> candidates(LastAgent lastAgent) {
        if (access.nodes().isEmpty()) {
            return Set.of(lastAgent.address());
        }
        Set<String> candidates = new LinkedHashSet<>();
        String known = found.get(lastAgent.id());
        if (known != null) {
            candidates.add(known);
        }
        if (access.nodes().contains(lastAgent.address())) {
            candidates.add(lastAgent.address());
        }
        candidates.addAll(access.nodes());
        return candidates;
    }
}
