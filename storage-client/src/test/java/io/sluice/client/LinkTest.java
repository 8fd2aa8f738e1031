package io.sluice.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.ProblemKind;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests to a node that accepts connections and does not answer some or all requests. */
@SuppressWarnings("NullAway.Init") // opened before each test
class LinkTest {
    private static final long MANY_MINUTES = 600_000;

    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private ServerSocket server;

    @BeforeEach
    void open() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        for (Socket each : connections) {
            each.close();
        }
    }

    private RemoteSettings settings() {
        return RemoteSettings.of("127.0.0.1:" + server.getLocalPort());
    }

    private void accept(Consumer<Socket> each) {
        Thread accepting = new Thread(() -> {
            while (true) {
                try {
                    Socket connection = server.accept();
                    connections.add(connection);
                    new Thread(() -> each.accept(connection)).start();
                } catch (IOException e) {
                    return;
                }
            }
        });
        accepting.start();
    }

    @Test
    void silenceLongerThanThePatienceIsNotAwaitedTwice() throws Exception {
        accept(connection -> {});
        RemoteSettings settings = settings().named("b").withPatience(100, 100).withAnswerMillis(1_000);
        try (RemoteNode node = new RemoteNode(settings)) {
            NodeUnreachableException silent = assertThrows(NodeUnreachableException.class, node::status);
            String described = "b (127.0.0.1:" + server.getLocalPort() + ")";
            assertEquals(described, silent.described());
            assertTrue(String.valueOf(silent.getMessage()).startsWith("node " + described + " does not answer"));
        }
        assertEquals(1, connections.size());
    }

    /** With TLS a stopped process does not even open a connection. */
    @Test
    void silenceOfANodeWithTlsIsNotAwaitedTwice() {
        accept(connection -> {});
        RemoteSettings settings = RemoteSettings.of("https://" + settings().name())
                .withPatience(2_000, 2_000)
                .withAnswerMillis(10_000);
        try (RemoteNode node = new RemoteNode(settings)) {
            assertThrows(NodeUnreachableException.class, node::status);
        }
        // One for the request, and one for a health check.
        assertTrue(connections.size() <= 2, connections::toString);
    }

    @Test
    @Timeout(60)
    void stoppedNodeIsNotAwaitedAsLongAsARequestMayTake() {
        accept(connection -> {});
        try (RemoteNode node = new RemoteNode(settings().withPatience(100, 100).withAnswerMillis(MANY_MINUTES))) {
            assertThrows(NodeUnreachableException.class, node::status);
        }
    }

    @Test
    void slowAnswerIsAwaitedWhileHealthChecksAreAnswered() {
        CountDownLatch checks = new CountDownLatch(2);
        accept(connection -> {
            try {
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (line.contains(ApiPaths.HEALTH)) {
                        checks.countDown();
                        answer(connection, "");
                    } else if (line.startsWith("GET")) {
                        checks.await();
                        answer(connection, "{\"id\":\"slow\"}");
                    }
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        try (RemoteNode node = new RemoteNode(settings().withPatience(100, 100).withAnswerMillis(MANY_MINUTES))) {
            assertEquals("slow", node.participant().id());
        }
    }

    @Test
    @Timeout(60)
    void nodeWithoutContactIsNotAwaitedAsLongAsASilentOne() {
        accept(connection -> {
            try {
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (line.startsWith("POST")) {
                        answer(
                                connection,
                                "503 Service Unavailable",
                                "{\"type\":\"" + ProblemKind.OUTDATED.type()
                                        + "\",\"title\":\"\",\"status\":503,\"detail\":\"\",\"retryAfterMillis\":10}");
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        TableDef table =
                Ddl.parse("CREATE TABLE t (id INT8 PRIMARY KEY);", "t.sql").get(0);
        try (RemoteNode node = new RemoteNode(settings().withPatience(100, MANY_MINUTES))) {
            ImportRequest request = ImportRequest.of(table, IngestTiming.AT_END);
            assertThrows(NodeUnreachableException.class, () -> node.beginImport(request));
        }
    }

    /** An append that waits for another one seemed to wait for its input. */
    @Test
    @Timeout(60)
    void nodeThatPutsARequestOffIsNamedMeanwhile() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        accept(connection -> {
            try {
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (line.startsWith("GET") && seen.getCount() > 0) {
                        answer(
                                connection,
                                "503 Service Unavailable",
                                "{\"type\":\"" + ProblemKind.BUSY.type()
                                        + "\",\"title\":\"\",\"status\":503,\"detail\":\"another import adds rows; wait\",\"retryAfterMillis\":10}");
                    } else if (line.startsWith("GET")) {
                        answer(connection, "{\"id\":\"free\"}");
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        try (RemoteNode node = new RemoteNode(settings().withPatience(MANY_MINUTES, MANY_MINUTES))) {
            Thread watching = new Thread(() -> {
                String why = "node 127.0.0.1:" + server.getLocalPort() + ": another import adds rows";
                while (!why.equals(node.unresponsiveNode())) {
                    Thread.onSpinWait();
                }
                seen.countDown();
            });
            watching.start();
            assertEquals("free", node.participant().id());
            watching.join();
            assertNull(node.unresponsiveNode());
        }
    }

    /** A node answers each request with this text. */
    private void answerWith(String text, boolean http) {
        accept(connection -> {
            try {
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (line.isEmpty() && http) {
                        answer(connection, text);
                    } else if (line.isEmpty()) {
                        connection.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** It does answer, so another try or another replica is of no use. */
    @ParameterizedTest
    @ValueSource(strings = {"<html>\u0007nginx</html>", "null", "{\"id\":[", "[]"})
    void unreadableAnswerIsShown(String body) {
        answerWith(body, true);
        try (RemoteNode node = new RemoteNode(settings().withPatience(MANY_MINUTES, MANY_MINUTES))) {
            OperationFailedException e = assertThrows(OperationFailedException.class, node::status);
            assertFalse(e instanceof NodeUnreachableException, e.getMessage());
            String shown = "cannot read its answer of " + body.length() + " bytes, which begins with '"
                    + body.replace('\u0007', '?') + "'";
            assertTrue(String.valueOf(e.getMessage()).contains(shown), e.getMessage());
        }
        assertEquals(1, connections.size());
    }

    @Test
    void serverOfAnotherProtocolGivesNoHttpAnswer() {
        answerWith("220 mail.example ESMTP\r\n", false);
        try (RemoteNode node = new RemoteNode(settings().withPatience(100, 100))) {
            NodeUnreachableException e = assertThrows(NodeUnreachableException.class, node::status);
            assertTrue(
                    String.valueOf(e.getMessage()).contains("the connection was closed without an HTTP answer"),
                    e.getMessage());
        }
    }

    private static void answer(Socket connection, String json) throws IOException {
        answer(connection, "200 OK", json);
    }

    private static void answer(Socket connection, String status, String json) throws IOException {
        connection
                .getOutputStream()
                .write(("HTTP/1.1 " + status + "\r\ncontent-type: application/json\r\ncontent-length: " + json.length()
                                + "\r\n\r\n" + json)
                        .getBytes(StandardCharsets.US_ASCII));
    }
}
