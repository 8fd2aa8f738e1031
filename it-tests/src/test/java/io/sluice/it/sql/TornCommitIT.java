package io.sluice.it.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.ClusterParticipants;
import io.sluice.it.support.DistributedCluster;
import io.sluice.it.support.FaultyProxy;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import io.sluice.sql.SqlSettings;
import io.sluice.testing.Await;
import io.sluice.testing.FailingSync;
import io.sluice.testing.SomeTests;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Transactions on three node processes behind proxies, with faults in the deciding commit: the response is true, and
 * every transaction is on all nodes or on none. A transfer takes 1 from each account of the lower half and gives 1 to
 * each of the upper half, so it has branches on all nodes, and the sum of all balances never changes.
 */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(2)
class TornCommitIT {
    private static final int NODES = 3;
    private static final int ACCOUNTS = 600;
    private static final int BALANCE = 100;
    private static final int DROPS = 40;
    private static final int BUSY = 503;
    private static final int WRONG_NODE = 421;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String TRANSFER = "BEGIN; UPDATE account SET balance = balance - 1 WHERE id < "
            + ACCOUNTS / 2
            + "; UPDATE account SET balance = balance + 1 WHERE id >= " + ACCOUNTS / 2 + "; COMMIT";

    @TempDir
    static Path directory;

    private static @Nullable FailingSync sync;
    private static final List<NodeProcess> NODE_PROCESSES = new ArrayList<>();
    private static final List<FaultyProxy> PROXIES = new ArrayList<>();
    /** Transfers that are committed. */
    private static int transfers;

    @BeforeAll
    static void begin() throws Exception {
        sync = FailingSync.compile(directory);
        for (int i = 0; i < NODES; i++) {
            NODE_PROCESSES.add(NodeProcess.launch(
                    directory.resolve("node-" + i), sync == null ? Map.of() : sync.environment("node-" + i)));
        }
        for (NodeProcess node : NODE_PROCESSES) {
            node.awaitReady();
            PROXIES.add(FaultyProxy.to(node.address()));
        }
        importTable("account", "balance", ACCOUNTS, BALANCE);
        importTable("counter", "n", 1, 0);
        for (NodeProcess node : NODE_PROCESSES) {
            try (RemoteNode client = node.client()) {
                assertTrue(client.digest("account").rows() > 0, "a node without accounts has no branch to be in doubt");
            }
        }
    }

    /** Imports in the mode that gives each node its share of the rows, however few they are. */
    private static void importTable(String name, String column, int rows, int value) throws Exception {
        Path schema = Files.writeString(
                directory.resolve(name + ".sql"),
                "CREATE TABLE " + name + " (id INT PRIMARY KEY, " + column + " INT);");
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            lines.add(i + "," + value);
        }
        Path input = Files.write(directory.resolve(name + ".csv"), lines);
        Result imported = SluiceProcess.call(
                "import",
                "--nodes",
                String.join(
                        ",", NODE_PROCESSES.stream().map(NodeProcess::address).toList()),
                "--schema",
                schema.toString(),
                "--mode",
                "two-pass",
                "--quiet",
                input.toString());
        assertEquals(0, imported.exitCode(), imported.toString());
    }

    @AfterEach
    void heal() {
        PROXIES.forEach(FaultyProxy::heal);
    }

    @AfterAll
    static void end() {
        PROXIES.forEach(FaultyProxy::close);
        NODE_PROCESSES.forEach(NodeProcess::close);
    }

    /** A coordinator of its own, that reaches the nodes through the proxies. */
    private static List<String> run(String statements, long patienceMillis) {
        Map<String, RemoteNode> clients = new LinkedHashMap<>();
        for (FaultyProxy proxy : PROXIES) {
            RemoteSettings settings = RemoteSettings.of(proxy.address()).withPatience(patienceMillis, patienceMillis);
            clients.put(settings.name(), new RemoteNode(settings));
        }
        try (SqlEngine engine =
                        SqlEngine.onNodes(new ClusterParticipants(clients), SqlSettings.forNodes(), Clock.systemUTC());
                SqlSession session = engine.open()) {
            return DistributedCluster.run(session, statements);
        }
    }

    private static String transfer() {
        List<String> results = run(TRANSFER, 1_000);
        return results.get(results.size() - 1);
    }

    private static HttpResponse<String> ask(int node, String method, String path) throws Exception {
        return HTTP.send(request(node, method, path), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest request(int node, String method, String path) {
        return HttpRequest.newBuilder(URI.create(NODE_PROCESSES.get(node).url() + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(20))
                .build();
    }

    private static JsonNode inDoubt(int node) throws Exception {
        return JSON.readTree(ask(node, "GET", "/v1/transactions").body());
    }

    /** A node with a branch in doubt of a transaction that another one decides. Each of them changes rows. */
    private static int inDoubtBut(int lastAgent) throws Exception {
        assertEquals(0, inDoubt(lastAgent).size());
        int holder = (lastAgent + 1) % NODES;
        JsonNode branches = inDoubt(holder);
        assertEquals(1, branches.size(), branches.toString());
        assertEquals("account", branches.at("/0/tables/0").asText(), branches.toString());
        return holder;
    }

    private static void awaitResolved() throws Exception {
        for (int i = 0; i < NODES; i++) {
            int node = i;
            Await.until(() -> inDoubt(node).isEmpty(), () -> "branches of node " + node + " stay in doubt");
        }
    }

    /** All of so many transfers are on all nodes. */
    private static void assertWhole(int expected) throws Exception {
        awaitResolved();
        transfers = expected;
        String rows = run("SELECT balance FROM account", 5_000).get(0);
        List<Integer> balances = new ArrayList<>();
        for (String each : rows.replaceAll("[\\[\\] ]", "").split(",", -1)) {
            balances.add(Integer.parseInt(each));
        }
        assertEquals(ACCOUNTS, balances.size(), rows);
        assertEquals(
                ACCOUNTS * BALANCE, balances.stream().mapToInt(each -> each).sum(), rows);
        for (int i = 0; i < ACCOUNTS; i++) {
            int change = i < ACCOUNTS / 2 ? -expected : expected;
            assertEquals(BALANCE + change, balances.get(i), "account " + i + " of " + rows);
        }
    }

    private static boolean commits(String path) {
        return path.endsWith("/commit");
    }

    private static void assertNotKnown(String answer) {
        assertTrue(answer.startsWith("ambiguous: "), answer);
        assertTrue(answer.contains("not known yet"), answer);
    }

    @Test
    void proxyFailureAfterTheCommitTearsNothing() throws Exception {
        for (FaultyProxy proxy : PROXIES) {
            proxy.fault((same, path, forward) -> {
                int status = forward.run();
                return commits(path) ? 502 : status;
            });
        }
        assertNotKnown(transfer());
        assertWhole(transfers + 1);
    }

    @Test
    void transientProxyFailureHasNoEffect() throws Exception {
        AtomicInteger failures = new AtomicInteger(1);
        for (FaultyProxy proxy : PROXIES) {
            proxy.fault((same, path, forward) -> {
                int status = forward.run();
                return commits(path) && failures.getAndDecrement() > 0 ? 502 : status;
            });
        }
        assertEquals("commit", transfer());
        assertWhole(transfers + 1);
    }

    @Test
    void anAddressThatLeadsToAnotherNodeDecidesNothing() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        int[] lastAgent = {-1};
        for (int i = 0; i < NODES; i++) {
            int node = i;
            PROXIES.get(i).fault((proxy, path, forward) -> {
                if (commits(path) && lastAgent[0] < 0) {
                    int unused = forward.run();
                    lastAgent[0] = node;
                    proxy.retarget(NODE_PROCESSES.get((node + 1) % NODES).address());
                    return 0;
                }
                int status = forward.run();
                if (path.endsWith("/outcome") && status == WRONG_NODE) {
                    refused.incrementAndGet();
                }
                return status;
            });
        }
        assertNotKnown(transfer());
        // Both others ask, and the node that gets the question refuses it.
        Await.until(() -> refused.get() >= 2 * (NODES - 1), () -> refused + " requests were refused");
        int holder = inDoubtBut(lastAgent[0]);
        assertAnsweredWhileInDoubt(holder);
        Result listed = SluiceProcess.call(
                "transactions", "--nodes", NODE_PROCESSES.get(holder).address());
        assertEquals(0, listed.exitCode(), listed.toString());
        assertTrue(listed.out().contains(PROXIES.get(lastAgent[0]).address()), listed.toString());
        PROXIES.get(lastAgent[0]).retarget(NODE_PROCESSES.get(lastAgent[0]).address());
        assertWhole(transfers + 1);
    }

    /** Drops of a table in doubt wait at the client, not in the node. */
    private static void assertAnsweredWhileInDoubt(int node) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> drops = new ArrayList<>();
        for (int i = 0; i < DROPS; i++) {
            drops.add(HTTP.sendAsync(
                    request(node, "DELETE", "/v1/tables/account"), HttpResponse.BodyHandlers.ofString()));
        }
        for (String path : List.of("/v1/tables", "/v1/tables/account/rows?limit=1", "/metrics", "/healthz")) {
            assertEquals(200, ask(node, "GET", path).statusCode(), path);
        }
        for (CompletableFuture<HttpResponse<String>> drop : drops) {
            HttpResponse<String> answer = drop.get();
            assertEquals(BUSY, answer.statusCode(), answer.body());
            assertTrue(
                    answer.headers().firstValue("retry-after").isPresent(),
                    answer.headers().toString());
        }
    }

    @Test
    void aSyncOfTheLogThatFailsLeavesTheOutcomeOpen() throws Exception {
        assumeTrue(sync != null, "this machine lacks a C compiler, or is not Linux");
        FailingSync failing = Objects.requireNonNull(sync);
        AtomicInteger asked = new AtomicInteger();
        int[] lastAgent = {-1};
        for (int i = 0; i < NODES; i++) {
            int node = i;
            PROXIES.get(i).fault((proxy, path, forward) -> {
                if (commits(path) && lastAgent[0] < 0) {
                    lastAgent[0] = node;
                    failing.fail("node-" + node);
                }
                int status = forward.run();
                if (path.endsWith("/outcome")) {
                    asked.incrementAndGet();
                }
                return status;
            });
        }
        assertNotKnown(transfer());
        Await.until(() -> asked.get() >= 2 * (NODES - 1), () -> asked + " requests for the outcome");
        // It does not know itself, so the others wait.
        int unused = inDoubtBut(lastAgent[0]);
        // And a sync that would succeed now proves nothing.
        failing.heal("node-" + lastAgent[0]);
        String refused = transfer();
        assertFalse(refused.equals("commit"), refused);
        restart(lastAgent[0]);
        // What was written is in the system's memory, which the process does not take along.
        assertWhole(transfers + 1);
    }

    private static void restart(int node) throws Exception {
        NODE_PROCESSES.get(node).kill();
        NODE_PROCESSES.set(node, NODE_PROCESSES.get(node).startAgain());
    }

    @Test
    void statementWithALostAnswerIsExecutedOnce() throws Exception {
        AtomicInteger failures = new AtomicInteger(1);
        for (int i = 0; i < NODES; i++) {
            int node = i;
            PROXIES.get(i).fault((proxy, path, forward) -> {
                int status = forward.run();
                if (commits(path) && failures.getAndDecrement() > 0) {
                    restart(node);
                    return 0;
                }
                return status;
            });
        }
        assertEquals(List.of("1 changed"), run("UPDATE counter SET n = n + 1 WHERE id = 0", 60_000));
        assertEquals(List.of("[[1]]"), run("SELECT n FROM counter", 5_000));
    }

    @Test
    void statementAnsweredByAnotherServerHasAnUnknownOutcome() throws Exception {
        FaultyProxy proxy = PROXIES.get(0);
        proxy.fault((same, path, forward) -> path.startsWith("/v1/sql") ? 502 : forward.run());
        Result answered = SluiceProcess.call(
                "sql", "--nodes", proxy.address(), "-e", "UPDATE counter SET n = n + 1 WHERE id = 0");
        assertEquals(1, answered.exitCode(), answered.toString());
        assertTrue(answered.err().contains("not known whether the statement was executed"), answered.toString());
    }

    @Test
    void operatorResolvesTransactionsOfALostLastAgent() throws Exception {
        int[] lastAgent = {-1};
        for (int i = 0; i < NODES; i++) {
            int node = i;
            PROXIES.get(i).fault((proxy, path, forward) -> {
                if (commits(path) && lastAgent[0] < 0) {
                    lastAgent[0] = node;
                    NODE_PROCESSES.get(node).kill();
                }
                return forward.run();
            });
        }
        assertNotKnown(transfer());
        List<String> others = new ArrayList<>();
        String id = "";
        for (int i = 0; i < NODES; i++) {
            if (i != lastAgent[0]) {
                others.add(NODE_PROCESSES.get(i).address());
                JsonNode branches = inDoubt(i);
                id = branches.isEmpty() ? id : branches.get(0).get("id").asText();
            }
        }
        Result unknown = resolve(UUID.randomUUID().toString(), "--abort", others);
        assertEquals(2, unknown.exitCode(), unknown.toString());
        Result resolved = resolve(id, "--abort", others);
        assertEquals(0, resolved.exitCode(), resolved.toString());
        assertTrue(resolved.err().contains("without the node or the log that decides it"), resolved.toString());
        NODE_PROCESSES.set(lastAgent[0], NODE_PROCESSES.get(lastAgent[0]).startAgain());
        assertWhole(transfers);
    }

    private static Result resolve(String id, String decision, List<String> nodes) throws Exception {
        return SluiceProcess.call("transactions", "resolve", id, decision, "--nodes", String.join(",", nodes));
    }
}
