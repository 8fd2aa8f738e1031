package io.sluice.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.ProblemKind;
import io.sluice.cli.Sluice;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node is added to a cluster whose named node cannot tell its cluster in the first moment. */
class AddCommandTest {
    /** Answers to questions for the cluster that do not tell it: the client repeats one of them in its patience. */
    private static final int UNTOLD = 3;

    private final AtomicInteger asked = new AtomicInteger();

    private HttpServer serving(int untold, String problem) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            boolean cluster = exchange.getRequestURI().getPath().equals(ApiPaths.CLUSTER);
            boolean told = cluster && asked.incrementAndGet() > UNTOLD;
            String member = "{\"id\":\"b\",\"name\":\"new\",\"url\":\"http://127.0.0.1:"
                    + server.getAddress().getPort() + "\",\"raft\":\"127.0.0.1:1\"}";
            String body = told
                    ? "{\"id\":\"one\",\"node\":\"b\",\"leader\":\"b\",\"applied\":1,\"members\":[" + member + "]}"
                    : "{\"type\":\"" + (cluster ? problem : "about:blank") + "\",\"detail\":\"not now\"}";
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(told ? 200 : cluster ? untold : 500, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        return server;
    }

    @ParameterizedTest
    @ValueSource(ints = {404, 500})
    @Timeout(60)
    void nodeIsAwaitedWhileTheNamedOneDoesNotTellItsCluster(int untold) throws Exception {
        HttpServer server = serving(untold, untold == 404 ? ProblemKind.NOT_FOUND.type() : "about:blank");
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        try {
            String node = "127.0.0.1:" + server.getAddress().getPort();
            Console console =
                    new Console(new ByteArrayOutputStream(), new PrintStream(err, true, StandardCharsets.UTF_8), false);
            int code = Sluice.execute(
                    Sluice.commands(new LocalNodes(console, FaultPoints.none()), console),
                    "cluster",
                    "add",
                    "new",
                    "--wait",
                    "30",
                    "--nodes",
                    node);
            // It has found the node, which then does not tell its status.
            assertEquals(1, code);
        } finally {
            server.stop(0);
        }
        String lines = err.toString(StandardCharsets.UTF_8);
        assertFalse(lines.contains("is in no cluster"), lines);
        assertTrue(asked.get() > UNTOLD, lines);
    }
}
