package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.wire.ClusterBody;
import io.sluice.client.RemoteNode;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.model.error.SluiceException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Imports with two replicas go on when one of three node processes is killed at a random moment. The node that comes
 * back removes what it has of them. The suite takes one mode at random; {@code -Dsluice.lostNodeRounds=N} takes all
 * modes N times.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ImportWithLostNodeIT {
    private static final int NODES = 3;
    private static final int ROUNDS = Integer.getInteger("sluice.lostNodeRounds", 0);
    private static final List<String> MODES = List.of("direct", "two-pass", "merge");
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
        List<ServerSocket> open = new ArrayList<>();
        for (int i = 0; i < 2 * NODES; i++) {
            ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            open.add(socket);
            (i < NODES ? addresses : consensus).add("127.0.0.1:" + socket.getLocalPort());
        }
        for (ServerSocket socket : open) {
            socket.close();
        }
        for (int i = 0; i < NODES; i++) {
            nodes.add(launch(i));
        }
        for (int i = 0; i < NODES; i++) {
            nodes.get(i).awaitReady();
            awaitCluster(i);
        }
    }

    private void awaitCluster(int node) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        try (RemoteNode client = nodes.get(node).client()) {
            while (System.nanoTime() - end < 0) {
                try {
                    ClusterBody seen = client.cluster();
                    if (seen != null && seen.members().size() == NODES && seen.leader() != null) {
                        return;
                    }
                } catch (SluiceException e) {
                    // It starts.
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        throw new AssertionError("node " + node + " does not see the cluster");
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
                addresses.get(node),
                "--replicas",
                "2",
                "--mode",
                mode,
                "--give-up-after",
                "4",
                csv.toString());
    }

    private Result sluice(int node, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--nodes", addresses.get(node)));
        return SluiceProcess.call(all.toArray(new String[0]));
    }

    private static String rows(int from, int to) {
        StringBuilder rows = new StringBuilder();
        for (int id = from; id < to; id++) {
            rows.append(id).append(",row ").append(id * 7919L % 100_003).append('\n');
        }
        return rows.toString();
    }

    @Test
    void importGoesOnWithoutAKilledNode() throws Exception {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        Random random = new Random(seed);
        launchAll();
        Path csv = Files.writeString(directory.resolve("t.csv"), rows(100_000, 160_000));
        for (int round = 0; round < Math.max(1, ROUNDS); round++) {
            for (String mode : ROUNDS == 0 ? List.of(MODES.get(random.nextInt(MODES.size()))) : MODES) {
                String what = "seed " + seed + ", round " + round + ", mode " + mode;
                String table = mode.replace("-", "") + round;
                int lost = random.nextInt(NODES);
                int alive = (lost + 1) % NODES;
                List<String> slow = new ArrayList<>(command(table, alive, mode, csv));
                slow.addAll(1, List.of("--max-rate", "300KB"));
                SluiceProcess running = SluiceProcess.start(directory, Map.of(), slow.toArray(new String[0]));
                TimeUnit.MILLISECONDS.sleep(1_500 + random.nextInt(3_000));
                nodes.get(lost).kill();
                Result done = running.await();
                assertEquals(0, done.exitCode(), what + ": " + done);
                assertTrue(done.err().contains("n" + lost + " ("), what + ": " + done.err());
                // All rows, without the node that is gone, and with it when it is back.
                String before = sluice(alive, "scan", table).out();
                assertEquals(rows(100_000, 160_000), before, what);
                nodes.set(lost, launch(lost));
                nodes.get(lost).awaitReady();
                awaitCluster(lost);
                assertEquals(before, sluice(lost, "scan", table).out(), what);
                try (RemoteNode client = nodes.get(lost).client()) {
                    assertEquals(null, client.table(table), what);
                }
            }
        }
    }
}
