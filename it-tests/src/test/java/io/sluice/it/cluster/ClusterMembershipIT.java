package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.wire.ClusterBody;
import io.sluice.client.RemoteNode;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.model.error.SluiceException;
import io.sluice.model.file.DurableFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three node processes found a cluster. One address stands for all of them, and the cluster outlives its leader. What a
 * test waits for has a minute.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ClusterMembershipIT {
    private static final int NODES = 3;
    private static final long WAIT_SECONDS = 60;

    @TempDir
    Path directory;

    private final List<String> addresses = new ArrayList<>();
    private final List<String> consensus = new ArrayList<>();
    private final List<NodeProcess> nodes = new ArrayList<>();

    @AfterEach
    void stop() {
        nodes.forEach(NodeProcess::close);
    }

    private void chooseAddresses() throws IOException {
        List<ServerSocket> open = new ArrayList<>();
        for (int i = 0; i < 2 * NODES; i++) {
            ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            open.add(socket);
            (i < NODES ? addresses : consensus).add("127.0.0.1:" + socket.getLocalPort());
        }
        for (ServerSocket socket : open) {
            socket.close();
        }
    }

    private NodeProcess launch(int node) throws IOException {
        return NodeProcess.at(
                addresses.get(node),
                directory.resolve("node" + node),
                "--cluster",
                String.join(",", addresses),
                "--raft-listen",
                consensus.get(node),
                "--name",
                "n" + node);
    }

    private void launchAll() throws Exception {
        chooseAddresses();
        for (int i = 0; i < NODES; i++) {
            nodes.add(launch(i));
        }
        for (NodeProcess node : nodes) {
            node.awaitReady();
        }
        for (int i = 0; i < NODES; i++) {
            await(i, cluster -> cluster.members().size() == NODES && cluster.leader() != null);
        }
    }

    /** Waits until a node sees its cluster as described. */
    private ClusterBody await(int node, Predicate<ClusterBody> described) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        ClusterBody last = null;
        try (RemoteNode client = nodes.get(node).client()) {
            while (System.nanoTime() - end < 0) {
                try {
                    last = client.cluster();
                    if (last != null && described.test(last)) {
                        return last;
                    }
                } catch (SluiceException e) {
                    // It starts.
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        throw new AssertionError("node " + node + " sees " + last);
    }

    private JsonNode status(int node) throws IOException {
        Result status = SluiceProcess.call("cluster", "status", "--json", "--nodes", addresses.get(node));
        assertEquals(0, status.exitCode(), status.toString());
        return new ObjectMapper().readTree(status.out());
    }

    private String scan(String table, int node) {
        Result scan = SluiceProcess.call("scan", table, "--nodes", addresses.get(node));
        assertEquals(0, scan.exitCode(), scan.toString());
        return scan.out();
    }

    @Test
    void oneAddressStandsForAllAndTheClusterOutlivesItsLeader() throws Exception {
        launchAll();
        JsonNode all = status(2);
        assertEquals(List.of("n0", "n1", "n2"), all.path("members").findValuesAsText("name"));
        assertEquals(List.of("up", "up", "up"), all.path("members").findValuesAsText("state"));

        // Each row is on two of the three nodes, though the commands name one.
        StringBuilder rows = new StringBuilder();
        for (int id = 100; id < 400; id++) {
            rows.append(id).append(",row ").append(id).append('\n');
        }
        Path csv = Files.writeString(directory.resolve("t.csv"), rows);
        Path schema = Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (id INT8 PRIMARY KEY, n STRING);");
        Files.writeString(directory.resolve("u.sql"), "CREATE TABLE u (id INT8 PRIMARY KEY, n STRING);");
        Result imported = SluiceProcess.call(
                "import",
                "--schema",
                schema.toString(),
                "--nodes",
                addresses.get(1),
                "--replicas",
                "2",
                "--mode",
                "two-pass",
                csv.toString());
        assertEquals(0, imported.exitCode(), imported.toString());
        for (int i = 0; i < NODES; i++) {
            assertEquals(rows.toString(), scan("t", i));
        }

        // The leader dies: the others elect another, and the rows are still all there.
        String leader = String.valueOf(await(0, cluster -> true).leader());
        int dead = member(all, leader);
        nodes.get(dead).kill();
        int alive = (dead + 1) % NODES;
        ClusterBody now = await(alive, cluster -> cluster.leader() != null && !leader.equals(cluster.leader()));
        assertNotEquals(leader, now.leader());
        assertEquals(
                "down", status(alive).path("members").get(dead).path("state").asText());
        assertEquals(rows.toString(), scan("t", alive));

        // New tables go to the nodes that are up.
        Result without = SluiceProcess.call(
                "import",
                "--schema",
                schema.toString().replace("t.sql", "u.sql"),
                "--nodes",
                addresses.get(alive),
                "--replicas",
                "2",
                csv.toString());
        assertEquals(0, without.exitCode(), without.toString());
        assertTrue(
                without.err().contains("node n" + dead + " (" + addresses.get(dead) + ") does not answer"),
                without.err());

        // It comes back with its store, as the member that it was.
        nodes.set(dead, launch(dead));
        nodes.get(dead).awaitReady();
        ClusterBody back = await(dead, cluster -> cluster.leader() != null);
        assertEquals(leader, back.node());
        assertEquals(NODES, back.members().size());
        assertEquals(List.of("up", "up", "up"), status(dead).path("members").findValuesAsText("state"));

        assertEquals(rows.toString(), scan("u", dead));
        assertEquals(rows.toString(), scan("t", dead));

        // A wiped store is another member, which must not take the name.
        nodes.get(dead).kill();
        DurableFiles.deleteTree(directory.resolve("node" + dead));
        nodes.set(dead, launch(dead));
        nodes.get(dead).awaitReady();
        nodes.get(dead).awaitLine("a new or wiped store needs another --name");
        assertEquals(
                NODES,
                await(alive, cluster -> cluster.leader() != null).members().size());
        nodes.get(dead).kill();

        lostNodeIsReplaced(dead, alive);
    }

    /**
     * The lost node's replicas are copied to a new one while statements change rows; then any other node may be lost.
     */
    private void lostNodeIsReplaced(int dead, int alive) throws Exception {
        nodes.set(
                dead,
                NodeProcess.at(
                        addresses.get(dead),
                        directory.resolve("new"),
                        "--cluster",
                        String.join(",", addresses),
                        "--raft-listen",
                        consensus.get(dead),
                        "--name",
                        "new"));
        nodes.get(dead).awaitReady();
        await(alive, cluster -> cluster.members().size() == NODES + 1);
        succeeds(sluice(alive, "cluster", "remove", "n" + dead));
        await(alive, cluster -> cluster.members().size() == NODES);

        AtomicBoolean done = new AtomicBoolean();
        List<Integer> written = new CopyOnWriteArrayList<>();
        Thread writer = new Thread(() -> {
            for (int id = 0; !done.get() && id < 10_000; id++) {
                int row = 500 + id;
                Result insert = sluice(alive, "sql", "-e", "INSERT INTO t VALUES (" + row + ", 'during the repair')");
                if (insert.exitCode() == 0) {
                    written.add(row);
                }
            }
        });
        writer.start();
        Result repaired = sluice(alive, "cluster", "repair");
        done.set(true);
        writer.join();
        succeeds(repaired);
        assertTrue(repaired.out().contains("table t: "), repaired.toString());
        String again = sluice(alive, "cluster", "repair").out();
        assertTrue(again.contains("no range is short of replicas"), again);
        String before = scan("t", alive);
        for (int row : written) {
            assertTrue(before.contains(row + ",during the repair"), "row " + row + " is missing");
        }

        // Another node is lost: its rows are on the others, among them the new one.
        int second = (alive + 1) % NODES == dead ? (alive + 2) % NODES : (alive + 1) % NODES;
        nodes.get(second).kill();
        assertEquals(before, scan("t", alive));
        assertEquals(before, scan("t", dead));
    }

    private Result sluice(int node, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--nodes", addresses.get(node)));
        return SluiceProcess.call(all.toArray(new String[0]));
    }

    private void succeeds(Result result) {
        assertEquals(0, result.exitCode(), result.toString());
    }

    @Test
    void othersGoOnWithoutALostNode() throws Exception {
        launchAll();
        StringBuilder rows = new StringBuilder();
        for (int id = 100; id < 400; id++) {
            rows.append(id).append(",row ").append(id).append('\n');
        }
        Path csv = Files.writeString(directory.resolve("t.csv"), rows);
        for (String table : List.of("t", "alone")) {
            String replicas = table.equals("t") ? "2" : "1";
            Path schema = Files.writeString(
                    directory.resolve(table + ".sql"), "CREATE TABLE " + table + " (id INT8 PRIMARY KEY, n STRING);");
            succeeds(sluice(
                    0,
                    "import",
                    "--schema",
                    schema.toString(),
                    "--replicas",
                    replicas,
                    "--mode",
                    "two-pass",
                    csv.toString()));
        }
        // Changes that only the first replica of a key counts.
        succeeds(sluice(0, "sql", "-e", "DELETE FROM t WHERE id < 150"));
        succeeds(sluice(0, "sql", "-e", "INSERT INTO t VALUES (1, 'new'), (399000, 'new')"));
        String digest = sluice(0, "digest", "t").out();

        // The leader is lost; a table with a single replica keeps it in the cluster, though it is down.
        String leader = String.valueOf(await(0, cluster -> true).leader());
        int lost = member(status(0), leader);
        int alive = (lost + 1) % NODES;
        nodes.get(lost).kill();
        await(alive, cluster -> cluster.leader() != null && !leader.equals(cluster.leader()));
        assertNotEquals(
                0,
                sluice(alive, "sql", "-e", "UPDATE t SET n = 'x' WHERE id > 0").exitCode());
        Result only = sluice(alive, "cluster", "remove", "n" + lost);
        assertEquals(2, only.exitCode(), only.toString());
        assertTrue(only.err().contains("table alone has keys"), only.err());
        Result unknown = sluice(alive, "cluster", "remove", "n9");
        assertEquals(2, unknown.exitCode(), unknown.toString());
        assertTrue(unknown.err().contains("the cluster has no node n9; it has n0, n1, n2"), unknown.err());
        nodes.set(lost, launch(lost));
        nodes.get(lost).awaitReady();
        succeeds(sluice(alive, "drop", "alone"));
        nodes.get(lost).kill();

        Result removed = sluice(alive, "cluster", "remove", "n" + lost);
        succeeds(removed);
        assertTrue(removed.out().contains("removed n" + lost), removed.out());
        assertTrue(removed.out().contains("1 table has fewer replicas"), removed.out());
        await(alive, cluster -> cluster.members().size() == NODES - 1);

        // Without it: the same rows and counts, and everything that needs all replicas.
        assertEquals(digest, sluice(alive, "digest", "t").out());
        Result tables = sluice(alive, "tables", "--json");
        assertEquals(252, new ObjectMapper().readTree(tables.out()).path("rows").asLong(), tables.toString());
        succeeds(sluice(alive, "sql", "-e", "UPDATE t SET n = 'changed' WHERE id < 300"));
        succeeds(sluice(alive, "sql", "-e", "DELETE FROM t WHERE id = 1"));
        tables = sluice(alive, "tables", "--json");
        assertEquals(251, new ObjectMapper().readTree(tables.out()).path("rows").asLong(), tables.toString());
        assertEquals(
                150,
                sluice(alive, "scan", "t")
                        .out()
                        .lines()
                        .filter(row -> row.endsWith(",changed"))
                        .count());

        // It comes back, learns that it was removed, and ends.
        nodes.set(lost, launch(lost));
        nodes.get(lost).awaitLine("was removed from");
        assertEquals(2, nodes.get(lost).await().exitCode());
        succeeds(sluice(alive, "drop", "t"));

        // A node that runs is removed, too, and ends by itself; the last one stays.
        int second = (alive + 1) % NODES;
        succeeds(sluice(alive, "cluster", "remove", addresses.get(second)));
        nodes.get(second).awaitLine("was removed from");
        assertEquals(2, nodes.get(second).await().exitCode());
        Result last = sluice(alive, "cluster", "remove", "n" + alive);
        assertEquals(2, last.exitCode(), last.toString());
    }

    private static int member(JsonNode status, String id) {
        List<String> ids = status.path("members").findValuesAsText("id");
        return ids.indexOf(id);
    }

    @Test
    void badListsAreRefused() {
        Result other = SluiceProcess.call(
                "node",
                "--store",
                directory.resolve("x").toString(),
                "--listen",
                "127.0.0.1:7999",
                "--cluster",
                "127.0.0.1:7001");
        assertEquals(2, other.exitCode(), other.toString());
        assertTrue(other.err().contains("must name this node, too: 127.0.0.1:7999"), other.err());
        Result open = SluiceProcess.call(
                "node",
                "--store",
                directory.resolve("x").toString(),
                "--listen",
                "127.0.0.1:7999",
                "--cluster",
                "127.0.0.1:7999",
                "--raft-listen",
                "0.0.0.0:7998");
        assertEquals(2, open.exitCode(), open.toString());
        assertTrue(open.err().contains("other addresses need --tls-cert"), open.err());
        Result none = SluiceProcess.call("cluster", "status");
        assertEquals(2, none.exitCode(), none.toString());
    }
}
