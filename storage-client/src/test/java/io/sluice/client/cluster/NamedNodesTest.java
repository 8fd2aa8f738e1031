package io.sluice.client.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ProblemKind;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how the cluster of nodes is found, of which some answer that they have left its log. */
class NamedNodesTest {
    private static final long MANY_MILLIS = 600_000;

    private static HttpServer serving(int status, String body) throws IOException {
        return serving(status, 0, body);
    }

    private static HttpServer serving(int status, int port, String body) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
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

    /** It would take an import for itself alone. */
    @Test
    @Timeout(60)
    void memberThatDoesNotAnswerAtFirstIsAskedAgain() throws Exception {
        HttpServer before = serving(404, "{}");
        int port = before.getAddress().getPort();
        before.stop(0);
        NamedNodes names = new NamedNodes(List.of("127.0.0.1:" + port), RemoteSettings::of);
        assertNull(names.cluster());
        HttpServer again = serving(
                200,
                port,
                "{\"id\":\"one\",\"node\":\"a\",\"leader\":\"a\",\"applied\":1,\"members\":[],"
                        + "\"lacking\":[],\"suspects\":[]}");
        try {
            assertEquals(
                    "one",
                    Objects.requireNonNull(names.clusterForImport(MANY_MILLIS, 1))
                            .id());
        } finally {
            again.stop(0);
        }
    }

    /** Sockets that take connections and do not answer. */
    @Test
    @Timeout(60)
    void silentNodesCostTheTimeOfOne() throws Exception {
        List<ServerSocket> silent = new ArrayList<>();
        HttpServer alone = serving(404, "{\"type\":\"" + ProblemKind.NOT_FOUND.type() + "\",\"status\":404}");
        try {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                ServerSocket socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                silent.add(socket);
                names.add("127.0.0.1:" + socket.getLocalPort());
            }
            names.add(address(alone));
            long start = System.nanoTime();
            assertNull(new NamedNodes(names, RemoteSettings::of).knownCluster());
            // Each takes some 4 s.
            assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(20));
        } finally {
            for (ServerSocket socket : silent) {
                socket.close();
            }
            alone.stop(0);
        }
    }
}
