package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.NodeClient;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.client.cluster.ClusterLog;
import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.Imports;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.model.schema.TableDef;
import io.sluice.testing.Await;
import io.sluice.testing.SomeTests;
import io.sluice.testing.TestSsts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Imports with two replicas go on when one of three node processes is killed at a random moment. The node that comes
 * back removes what it has of them. The suite takes one mode at random; {@code -Dsluice.lostNodeRounds=N} takes all
 * modes N times, and kills every other importer as well: the resumed import warns of the node, too.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
@SomeTests(1)
class ImportWithLostNodeIT {
    private static final int NODES = 3;
    private static final int ROUNDS = Integer.getInteger("sluice.lostNodeRounds", 0);
    private static final List<String> MODES = List.of("direct", "two-pass", "merge");

    @TempDir
    Path directory;

    private ClusterProcesses cluster;

    @AfterEach
    void stop() {
        cluster.close();
    }

    private List<String> command(String table, int node, String mode, Path csv) throws IOException {
        Path schema = Files.writeString(
                directory.resolve(table + ".sql"),
                "CREATE TABLE " + table + " (id INT8 PRIMARY KEY, n STRING, INDEX (n));");
        return List.of(
                "import",
                "--schema",
                schema.toString(),
                "--nodes",
                cluster.address(node),
                "--replicas",
                "2",
                "--mode",
                mode,
                "--job-id",
                table,
                "--give-up-after",
                "4",
                csv.toString());
    }

    private static String rows(int from, int to) {
        StringBuilder rows = new StringBuilder();
        for (int id = from; id < to; id++) {
            rows.append(id).append(",row ").append(id * 7919L % 100_003).append('\n');
        }
        return rows.toString();
    }

    /** Replicas that ranges of a table lack. */
    private int missing(int node, String table) {
        try (RemoteNode client = cluster.node(node).client()) {
            return Objects.requireNonNull(client.table(table)).directory().missing();
        }
    }

    @Test
    void importGoesOnWithoutAKilledNode() throws Exception {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        Random random = new Random(seed);
        cluster = new ClusterProcesses(directory, NODES);
        cluster.launchAll();
        Path csv = Files.writeString(directory.resolve("t.csv"), rows(100_000, 160_000));
        for (int round = 0; round < Math.max(1, ROUNDS); round++) {
            for (String mode : ROUNDS == 0 ? List.of(MODES.get(random.nextInt(MODES.size()))) : MODES) {
                String what = "seed " + seed + ", round " + round + ", mode " + mode;
                String table = mode.replace("-", "") + round;
                int lost = random.nextInt(NODES);
                int alive = (lost + 1) % NODES;
                List<String> slow = new ArrayList<>(command(table, alive, mode, csv));
                slow.addAll(1, List.of("--max-rate", "300k"));
                SluiceProcess running = SluiceProcess.start(directory, Map.of(), slow.toArray(new String[0]));
                TimeUnit.MILLISECONDS.sleep(1_500 + random.nextInt(3_000));
                cluster.node(lost).kill();
                if (ROUNDS > 0 && random.nextBoolean()) {
                    TimeUnit.MILLISECONDS.sleep(2_000 + random.nextInt(8_000));
                    running.kill();
                    running = SluiceProcess.start(
                            directory,
                            Map.of(),
                            command(table, alive, mode, csv).toArray(new String[0]));
                }
                Result done = running.await();
                assertEquals(0, done.exitCode(), what + ": " + done);
                // An importer that was killed before it chose ranges has left no trace of the node.
                assertTrue(
                        done.err().contains("n" + lost + " (") || missing(alive, table) == 0, what + ": " + done.err());
                // All rows, without the node that is gone, and with it when it is back.
                String before = cluster.sluice(alive, "scan", table).out();
                assertEquals(rows(100_000, 160_000), before, what);
                cluster.relaunch(lost);
                cluster.node(lost).awaitReady();
                cluster.await(lost, seen -> seen.members().size() == NODES && seen.leader() != null);
                assertEquals(before, cluster.sluice(lost, "scan", table).out(), what);
                try (RemoteNode client = cluster.node(lost).client()) {
                    assertEquals(null, client.table(table), what);
                }
            }
        }
        entryAlonePublishesATable();
    }

    @Test
    void importDoesNotWaitForANodeThatTheClusterGoesOnWithout() throws Exception {
        cluster = new ClusterProcesses(directory, NODES);
        cluster.launchAll();
        String csv = Files.writeString(directory.resolve("s.csv"), "1\n2\n").toString();
        cluster.node(2).kill();
        List<String> known = List.of(cluster.urls().get(0), String.join(",", cluster.urls()));
        for (String table : List.of("first", "second", "third")) {
            Path schema = Files.writeString(
                    directory.resolve(table + ".sql"), "CREATE TABLE " + table + " (id INT8 PRIMARY KEY);");
            long start = System.nanoTime();
            Result done = SluiceProcess.call(
                    "import",
                    "--schema",
                    schema.toString(),
                    "--nodes",
                    known.get(table.equals("third") ? 0 : 1),
                    "--replicas",
                    Integer.toString(NODES),
                    csv);
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
            assertEquals(0, done.exitCode(), done.toString());
            assertTrue(done.err().contains("n2 ("), done.err());
            assertTrue(missing(0, table) > 0, "the ranges are not short of a replica");
            // The first one finds out, and the cluster decides. Each would wait for 20 s otherwise.
            assertTrue(table.equals("first") || seconds < 10, table + " took " + seconds + " s");
        }
        cluster.relaunch(2);
        cluster.node(2).awaitReady();
        cluster.await(2, seen -> seen.leader() != null && seen.suspects().isEmpty());
        Result repaired = cluster.sluice("cluster", "repair");
        assertEquals(0, repaired.exitCode(), repaired.toString());
        assertEquals(0, missing(0, "first") + missing(0, "second") + missing(0, "third"));
    }

    /** Its importer has died right after the entry, and a node before it, which publishes its part when it is back. */
    private void entryAlonePublishesATable() throws Exception {
        ClusterBody members = cluster.await(0, seen -> seen.members().size() == NODES && seen.leader() != null);
        Map<String, NodeClient> clients = new LinkedHashMap<>();
        for (int node = 0; node < NODES; node++) {
            clients.put(cluster.address(node), cluster.node(node).client());
        }
        UUID id = UUID.randomUUID();
        TableDef table = Imports.table("CREATE TABLE alone (id INT8 PRIMARY KEY, n STRING);");
        try (Cluster nodes = new Cluster(clients, NODES)) {
            ImportSession session = nodes.beginImport(new ImportRequest(table, IngestTiming.AT_END, id, 0));
            List<IndexChecksum> sums = TestSsts.shipAll(
                    session,
                    List.of(List.of("1", "one"), List.of("2", "two")),
                    Files.createDirectory(directory.resolve("ssts")));
            session.finalizeIngest();
            cluster.node(2).kill();
            new ClusterLog(members, RemoteSettings::of)
                    .write(ClusterChange.publishing(
                            ClusterChange.Published.of(id, session.table().id(), sums)));
        }
        awaitTable(0);
        awaitTable(1);
        cluster.relaunch(2);
        cluster.node(2).awaitReady();
        awaitTable(2);
        assertEquals("1,one\n2,two\n", cluster.sluice(2, "scan", "alone").out());
    }

    private void awaitTable(int node) throws Exception {
        try (RemoteNode client = cluster.node(node).client()) {
            Await.until(() -> client.table("alone") != null, () -> "node " + node + " has not published the table");
        }
    }
}
