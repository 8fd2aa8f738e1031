package io.sluice.client.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpServer;
import io.sluice.api.wire.ClusterBody;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests how the cluster of nodes is found, of which some answer that they have left its log. */
class NamedNodesTest {
    private static HttpServer serving(int status, String body) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static String address(HttpServer server) {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    @Test
    void nodeThatHasLeftTheLogIsPassedOver() throws Exception {
        HttpServer left = serving(500, "{\"status\":500,\"detail\":\"the node has left the log of its cluster\"}");
        HttpServer other = serving(
                200,
                "{\"id\":\"one\",\"node\":\"b\",\"leader\":\"b\",\"applied\":1,\"members\":[],\"lacking\":[],\"suspects\":[]}");
        try {
            ClusterBody found =
                    new NamedNodes(List.of(address(left), address(other)), RemoteSettings::of).knownCluster();
            assertEquals("one", Objects.requireNonNull(found).id());
            NamedNodes alone = new NamedNodes(List.of(address(left)), RemoteSettings::of);
            assertThrows(OperationFailedException.class, alone::knownCluster);
        } finally {
            left.stop(0);
            other.stop(0);
        }
    }
}
