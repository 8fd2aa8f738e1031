package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.api.transaction.Decision;
import io.sluice.api.wire.ClusterBody;
import io.sluice.client.RemoteNode;
import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.NodeNetwork;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three node processes, each on a machine of its own, with a token and TLS on every port. The leader is cut off from
 * the others, and clients reach all. {@link ClusterNemesis} does it again and again.
 *
 * <p>Not in the suite; {@code .ci/nightly partition} runs it.
 */
@SuppressWarnings("NullAway.Init") // made before the test
class LeaderCutOff {
    private static final int NODES = 3;
    private static final long WAIT_SECONDS = 60;

    /** The kernel sends again after some 51 s without an answer, and then after 102 s. */
    private static final long CUT_OFF_SECONDS = 60;

    private static final long SERVES_AGAIN_SECONDS = 15;

    @TempDir
    Path directory;

    private NodeNetwork network;
    private ClusterProcesses cluster;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(NodeNetwork.available(), "this machine lacks network namespaces, or the right to make them");
        List<String> unused = NodeNetwork.removeAbandoned();
        network = new NodeNetwork(NODES);
        cluster = new ClusterProcesses(directory, network, NODES);
        cluster.launchAll();
    }

    @AfterEach
    void stop() throws IOException {
        if (network != null) {
            network.heal();
            cluster.close();
            network.close();
        }
    }

    @Test
    void nodeThatWasCutOffForAMinuteServesSoonAfterwards() throws Exception {
        Path schema = Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (id INT8 PRIMARY KEY);");
        Path row = Files.writeString(directory.resolve("t.csv"), "1");
        succeeds(cluster.sluice("import", "--schema", schema.toString(), "--replicas", "3", row.toString()));
        String leader = Objects.requireNonNull(
                cluster.await(0, seen -> seen.leader() != null).leader());
        int cut = IntStream.range(0, NODES)
                .filter(i -> {
                    try {
                        return !cluster.await(i, seen -> true).node().equals(leader);
                    } catch (IOException | InterruptedException e) {
                        throw new AssertionError(e);
                    }
                })
                .findFirst()
                .orElseThrow();
        network.cutOff(List.of(cut));
        TimeUnit.SECONDS.sleep(CUT_OFF_SECONDS);
        long healed = System.nanoTime();
        network.heal();
        try (RemoteNode node = new RemoteNode(cluster.access(cluster.urls().get(cut)))) {
            boolean serves = false;
            while (!serves) {
                try {
                    serves = node.digest("t").rows() == 1;
                } catch (NodeUnreachableException e) {
                    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - healed);
                    assertTrue(seconds < SERVES_AGAIN_SECONDS, "after " + seconds + " s: " + e.getMessage());
                    TimeUnit.MILLISECONDS.sleep(100);
                }
            }
        }
        System.out.println("a node that was cut off serves again after "
                + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - healed) + " ms");
    }

    private static Result succeeds(Result result) {
        assertEquals(0, result.exitCode(), result.toString());
        return result;
    }

    private Result statement(String sql) {
        return cluster.sluice("sql", "-e", sql);
    }

    @Test
    void leaderWithoutContactServesAndDecidesNothingAndTheOthersGoOn() throws Exception {
        Path schema = Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (id INT8 PRIMARY KEY, n INT8);");
        Path rows = Files.write(
                directory.resolve("t.csv"),
                IntStream.range(0, 300).mapToObj(id -> id + ",0").toList());
        succeeds(cluster.sluice("import", "--schema", schema.toString(), "--replicas", "3", rows.toString()));
        ClusterBody before = cluster.await(0, seen -> seen.leader() != null);
        String leader = Objects.requireNonNull(before.leader());
        int cut = IntStream.range(0, NODES)
                .filter(i -> before.members().stream()
                        .anyMatch(member ->
                                member.id().equals(leader) && member.name().equals("n" + i)))
                .findFirst()
                .orElseThrow();

        network.cutOff(List.of(cut));

        try (RemoteNode node = new RemoteNode(cluster.access(cluster.urls().get(cut)))) {
            Decision decision = new Decision(UUID.randomUUID(), List.of(leader), 0, null);
            // It still leads when it gets the first one.
            OperationFailedException refused =
                    assertThrows(OperationFailedException.class, () -> node.participant(leader)
                            .decide(decision));
            assertTrue(String.valueOf(refused.getMessage()).contains("decides nothing"), refused.getMessage());
            refused = assertThrows(OperationFailedException.class, () -> node.participant(leader)
                    .decide(decision));
            assertTrue(String.valueOf(refused.getMessage()).contains("decides nothing"), refused.getMessage());
        }
        Result stale = cluster.sluice(cut, "scan", "t");
        assertTrue(
                stale.exitCode() == 0
                        ? stale.out().lines().count() == 300
                        : stale.err().contains("no contact"),
                stale.toString());

        // A statement may meet the moment in which the node is left out: it is refused then, with nothing done.
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        Result changed = statement("UPDATE t SET n = n + 1 WHERE id < 100");
        while (changed.exitCode() != 0 && changed.err().contains("conflict") && System.nanoTime() - end < 0) {
            changed = statement("UPDATE t SET n = n + 1 WHERE id < 100");
        }
        succeeds(changed);

        long start = System.nanoTime();
        Path more = Files.writeString(directory.resolve("more.sql"), "CREATE TABLE u (id INT8 PRIMARY KEY, n INT8);");
        succeeds(cluster.sluice("import", "--schema", more.toString(), "--replicas", "3", rows.toString()));
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        assertTrue(seconds < 10, "the import took " + seconds + " s");

        network.heal();

        long applied = cluster.await((cut + 1) % NODES, seen -> true).applied();
        cluster.await(
                cut,
                seen -> seen.leader() != null
                        && seen.applied() >= applied
                        && seen.suspects().isEmpty());
        long repairedUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        Result repaired = cluster.sluice("cluster", "repair");
        while (repaired.exitCode() != 0 && System.nanoTime() - repairedUntil < 0) {
            TimeUnit.MILLISECONDS.sleep(200);
            repaired = cluster.sluice("cluster", "repair");
        }
        succeeds(repaired);
        assertTrue(succeeds(cluster.sluice("cluster", "verify")).out().contains("all replicas are equal"));
        Result sum = succeeds(cluster.sluice(cut, "sql", "-e", "SELECT sum(n) FROM t"));
        assertTrue(sum.out().contains("100"), sum.toString());
    }
}
