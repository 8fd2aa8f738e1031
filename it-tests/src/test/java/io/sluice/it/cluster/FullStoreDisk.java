package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.SmallDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three node processes. The disk of one is full, and the log of the cluster, which has room of its own, keeps it in
 * contact to the others. So nothing tells them that it takes no writes, unless it ends.
 *
 * <p>Not in the suite; {@code .ci/nightly partition} runs it.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class FullStoreDisk {
    private static final int NODES = 3;
    private static final long WAIT_SECONDS = 60;

    @TempDir
    Path directory;

    @Test
    void nodeThatTakesNoWritesEndsAndTheOthersGoOn() throws Exception {
        assumeTrue(SmallDisk.available(directory), "this machine lacks loop devices, or the right to use them");
        try (SmallDisk disk = new SmallDisk(directory.resolve("node0"));
                ClusterProcesses cluster = new ClusterProcesses(directory, NODES)) {
            cluster.launchAll();
            Path schema =
                    Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (id INT8 PRIMARY KEY, n INT8);");
            Path rows = Files.write(
                    directory.resolve("t.csv"),
                    IntStream.range(0, 100).mapToObj(id -> id + ",0").toList());
            succeeds(cluster.sluice("import", "--schema", schema.toString(), "--replicas", "3", rows.toString()));
            cluster.node(0).kill();
            disk.move("cluster", directory.resolve("log"));
            cluster.relaunch(0);
            cluster.node(0).awaitReady();
            cluster.await(0, seen -> seen.leader() != null && seen.suspects().isEmpty());
            succeeds(cluster.sluice("cluster", "repair"));

            disk.fill();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
            while (cluster.node(0).isAlive()) {
                Result refused = update(cluster);
                assertTrue(System.nanoTime() - end < 0, "the node goes on: " + refused);
            }
            Result ended = cluster.node(0).await();
            assertEquals(1, ended.exitCode(), ended.toString());
            assertTrue(ended.err().contains("the store takes no writes"), ended.err());
            Result changed = update(cluster);
            while (changed.exitCode() != 0) {
                assertTrue(System.nanoTime() - end < 0, "the others do not go on: " + changed);
                changed = update(cluster);
            }

            disk.free();
            cluster.relaunch(0);
            cluster.node(0).awaitReady();
            cluster.await(0, seen -> seen.leader() != null && seen.suspects().isEmpty());
            succeeds(cluster.sluice("cluster", "repair"));
            Result verified = cluster.sluice("cluster", "verify");
            assertTrue(verified.out().contains("all replicas are equal"), verified.toString());
        }
    }

    private static Result update(ClusterProcesses cluster) {
        return cluster.sluice("sql", "-e", "UPDATE t SET n = n + 1 WHERE id < 50");
    }

    private static void succeeds(Result result) {
        assertEquals(0, result.exitCode(), result.toString());
    }
}
