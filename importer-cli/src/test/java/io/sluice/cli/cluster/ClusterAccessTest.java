package io.sluice.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterBody.Member;
import io.sluice.cli.Sluice;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.model.error.BadInputException;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Commands find the member that the operator means, and refuse what would change the cluster in another way. */
class ClusterAccessTest {
    private final List<String> changes = new CopyOnWriteArrayList<>();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private static ClusterBody cluster(Member... members) {
        return new ClusterBody("one", "1", "1", 7, List.of(members), List.of(), List.of(), List.of());
    }

    private static Member member(String id, String name, int port) {
        return new Member(id, name, "http://127.0.0.1:" + port, "127.0.0.1:" + (port + 1));
    }

    private static @Nullable String found(ClusterBody cluster, String name) {
        Member found = ClusterAccess.find(cluster, name);
        return found == null ? null : found.id();
    }

    @Test
    void memberIsFoundByNameIdOrAddressAsStatusPrintsIt() {
        ClusterBody cluster = cluster(member("1", "a", 7001), member("2", "127.0.0.1:7011", 7011));
        assertEquals("1", found(cluster, "a"));
        assertEquals("2", found(cluster, "2"));
        assertEquals("1", found(cluster, "127.0.0.1:7001"));
        assertEquals("1", found(cluster, "http://127.0.0.1:7001"));
        assertEquals("2", found(cluster, "127.0.0.1:7011"));
        assertNull(found(cluster, "7001"));
    }

    @Test
    void nameOfSeveralMembersIsRefused() {
        ClusterBody named = cluster(member("1", "127.0.0.1:7011", 7001), member("2", "b", 7011));
        BadInputException refused =
                assertThrows(BadInputException.class, () -> ClusterAccess.find(named, "127.0.0.1:7011"));
        assertEquals(
                "127.0.0.1:7011 is the name or address of several nodes: 127.0.0.1:7011 (http://127.0.0.1:7001, id 1),"
                        + " b (http://127.0.0.1:7011, id 2); name the node by its id",
                refused.getMessage());
        assertEquals("2", found(named, "2"));

        // A new node has the address of a lost one.
        ClusterBody shared = cluster(member("1", "new", 7001), member("2", "old", 7001));
        assertThrows(BadInputException.class, () -> ClusterAccess.find(shared, "127.0.0.1:7001"));
        assertEquals("2", found(shared, "old"));
    }

    /** Serves the cluster of the nodes a and b, of which only a answers, at the address of both. */
    private int run(String... command) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        int port = server.getAddress().getPort();
        ObjectMapper json = new ObjectMapper();
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            Object body;
            if (path.equals(ApiPaths.CLUSTER)) {
                body = cluster(member("1", "a", port), member("2", "b", port));
            } else if (path.equals(ApiPaths.TABLES)) {
                body = List.of();
            } else {
                body = new NodeStatus("1", "0", 54, new NodeStatus.Load(0, 0, 0, 0, Long.MAX_VALUE, ""));
            }
            if (exchange.getRequestMethod().equals("POST")) {
                changes.add(path);
            }
            byte[] bytes = json.writeValueAsBytes(body);
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        try {
            Console console =
                    new Console(new ByteArrayOutputStream(), new PrintStream(err, true, StandardCharsets.UTF_8), false);
            List<String> args = new ArrayList<>(Arrays.asList(command));
            args.addAll(List.of("--nodes", "127.0.0.1:" + port));
            return Sluice.execute(
                    Sluice.commands(new LocalNodes(console, FaultPoints.none()), console), args.toArray(String[]::new));
        } finally {
            server.stop(0);
        }
    }

    private String lines() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void noNodeIsRemovedForOneThatDoesNotAnswer() throws IOException {
        assertEquals(1, run("cluster", "replace", "a", "b"), lines());
        assertTrue(lines().contains("another store, 1, answers at its address"), lines());
        assertEquals(List.of(), changes);
    }

    @Test
    void repairDoesNotPromiseMoreReplicasThanNodes() throws IOException {
        assertEquals(2, run("cluster", "repair", "--replicas", "3"), lines());
        assertTrue(lines().contains("--replicas 3: must be at most the number of nodes, 2"), lines());
        assertEquals(List.of(), changes);
    }
}
