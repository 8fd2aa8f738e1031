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
import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.TransactionAnswer;
import io.sluice.api.wire.TransactionBody;
import io.sluice.api.wire.Wire;
import io.sluice.http.Bodies;
import io.sluice.node.divided.Peers;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;

/** Other nodes, by the HTTP API. Asked seldom: nothing is kept between two questions but the factory of connections. */
final class HttpPeers implements Peers {
    private static final long CONNECT_MILLIS = 2_000;
    private static final long ANSWER_MILLIS = 10_000;
    private static final long MOST_ANSWER_BYTES = 64 << 10;

    private final PeerAccess access;
    private final ClientFactory connections;

    HttpPeers(PeerAccess access) {
        this.access = access;
        ClientFactoryBuilder factory = ClientFactory.builder().connectTimeoutMillis(CONNECT_MILLIS);
        Path trusted = access.trusted();
        if (trusted != null) {
            factory.tlsCustomizer(tls -> tls.trustManager(trusted.toFile()));
        }
        connections = factory.build();
    }

    @Override
    public boolean outcome(String decider, UUID transaction) {
        TransactionBody nothing = new TransactionBody(null, null, null, null);
        return Wire.required(
                "committed",
                asked(decider, ApiPaths.transaction(transaction, "outcome"), nothing)
                        .committed());
    }

    @Override
    public void forget(String decider, UUID transaction, String node) {
        TransactionBody body = new TransactionBody(null, null, List.of(node), null);
        asked(decider, ApiPaths.transaction(transaction, "forget"), body);
    }

    private TransactionAnswer asked(String address, String path, TransactionBody body) {
        WebClient client = WebClient.builder(address)
                .factory(connections)
                .responseTimeoutMillis(ANSWER_MILLIS)
                .maxResponseLength(MOST_ANSWER_BYTES)
                .build();
        RequestHeadersBuilder head =
                RequestHeaders.builder(HttpMethod.POST, path).contentType(MediaType.JSON);
        if (access.token() != null) {
            head.set(HttpHeaderNames.AUTHORIZATION, "Bearer " + access.token());
        }
        try {
            AggregatedHttpResponse answer = client.execute(
                            HttpRequest.of(head.build(), HttpData.wrap(Bodies.JSON.writeValueAsBytes(body))))
                    .aggregate()
                    .get();
            if (!answer.status().equals(HttpStatus.OK)) {
                throw new OperationFailedException("node " + address + " answered " + answer.status());
            }
            return Bodies.read(answer.content().array(), TransactionAnswer.class);
        } catch (ExecutionException e) {
            throw new NodeUnreachableException(address, "node " + address + " does not answer: " + e.getCause(), e);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a request that is no JSON", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted while node " + address + " was asked", e);
        }
    }

    @Override
    public void close() {
        connections.close();
    }
}
