package io.sluice.node.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.ClientFactoryBuilder;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.RequestHeadersBuilder;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.Loopback;
import io.sluice.api.wire.TransactionAnswer;
import io.sluice.api.wire.TransactionBody;
import io.sluice.api.wire.Wire;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.http.Bodies;
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
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** HTTP client to the last agents of this node's branches in doubt. Requests are rare. Thread-safe. */
public final class HttpPeers implements Peers {
    private static final long CONNECT_MILLIS = 2_000;
    private static final long ANSWER_MILLIS = 10_000;
    private static final long MAX_ANSWER_BYTES = 64 << 10;

    private final PeerAccess access;
    private final ClientFactory connections;
    /** Address at which a node answered last, by node id. */
    private final Map<String, String> found = new ConcurrentHashMap<>();

    public HttpPeers(PeerAccess access) {
        this.access = access;
        ClientFactoryBuilder factory = ClientFactory.builder().connectTimeoutMillis(CONNECT_MILLIS);
        Path trusted = access.trusted();
        if (trusted != null) {
            factory.tlsCustomizer(tls -> tls.trustManager(trusted.toFile()));
        }
        connections = factory.build();
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
        TransactionAnswer answer =
                ask(lastAgent, ApiPaths.transaction(transaction, "outcome"), TransactionBody.NOTHING);
        return Outcome.of(Wire.required("outcome", answer.outcome()));
    }

    @Override
    public void forget(LastAgent lastAgent, UUID transaction, String node) {
        ask(lastAgent, ApiPaths.transaction(transaction, "forget"), TransactionBody.nodes(List.of(node)));
    }

    /** Asks the candidate addresses in turn; a node with another id rejects the request. */
    private TransactionAnswer ask(LastAgent lastAgent, String path, TransactionBody body) {
        String reason = notAskable(lastAgent);
        if (reason != null) {
            throw new OperationFailedException(reason);
        }
        SluiceException failure = null;
        for (String address : candidates(lastAgent)) {
            try {
                TransactionAnswer answer = askAt(address, lastAgent.id(), path, body);
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

    private TransactionAnswer askAt(String address, String node, String path, TransactionBody body) {
        WebClient client = WebClient.builder(address)
                .factory(connections)
                .responseTimeoutMillis(ANSWER_MILLIS)
                .maxResponseLength(MAX_ANSWER_BYTES)
                .build();
        RequestHeadersBuilder head = RequestHeaders.builder(HttpMethod.POST, path)
                .contentType(MediaType.JSON)
                .set(ApiHeaders.NODE, node);
        if (access.token() != null && access.nodes().contains(address)) {
            head.set(HttpHeaderNames.AUTHORIZATION, "Bearer " + access.token());
        }
        try {
            AggregatedHttpResponse answer = client.execute(
                            HttpRequest.of(head.build(), HttpData.wrap(Bodies.JSON.writeValueAsBytes(body))))
                    .aggregate()
                    .get();
            if (!answer.status().equals(HttpStatus.OK)) {
                throw new OperationFailedException(
                        address + " answered " + answer.status() + " to a request for node " + node);
            }
            return Bodies.read(answer.content().array(), TransactionAnswer.class)
                    .from(node);
        } catch (ExecutionException e) {
            throw new NodeUnreachableException(address, "node " + address + " does not answer: " + e.getCause(), e);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot encode the request as JSON", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted during a request to node " + address, e);
        }
    }

    @Override
    public void close() {
        connections.close();
    }
}
