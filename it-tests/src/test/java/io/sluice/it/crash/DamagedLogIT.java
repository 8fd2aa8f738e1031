package io.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.ClusterParticipants;
import io.sluice.it.support.DistributedCluster;
import io.sluice.it.support.Imports;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.node.StorageNode;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import io.sluice.sql.SqlSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A byte in the middle of a killed node's write-ahead log is flipped. Intact commits that were acknowledged follow it:
 * the store is not opened without them, unless its operator accepts the loss.
 */
class DamagedLogIT {
    private static final int COMMITS = 30;
    private static final String ROWS = "SELECT id FROM t;";

    @TempDir
    @SuppressWarnings("NullAway.Init") // made before the test
    Path directory;

    @Test
    void flippedByteBeforeAcknowledgedCommitsIsRefused() throws Exception {
        Path store = directory.resolve("store");
        Path schema = Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (id INT8 PRIMARY KEY, v STRING);");
        Path none = Files.createFile(directory.resolve("none.csv"));
        assertEquals(
                0,
                run("import", "--schema", schema, "--store", store, "--quiet", none)
                        .exitCode());
        try (NodeProcess node = NodeProcess.start(store)) {
            commit(node);
            node.kill();
        }
        Path log = log(store);
        byte[] whole = Files.readAllBytes(log);
        for (int third = 1; third <= 3; third++) {
            byte[] damaged = whole.clone();
            damaged[whole.length * third / 4] ^= 0x20;
            Files.write(log, damaged);
            Result refused = run("node", "--store", store, "--listen", "127.0.0.1:0");
            assertEquals(1, refused.exitCode(), refused.toString());
            assertTrue(refused.err().contains("the write-ahead log is damaged, file " + log), refused.toString());
            assertTrue(refused.err().contains("--accept-loss"), refused.toString());
        }
        assertEquals(1, run("recover", "--store", store).exitCode());
        Result accepted = run("recover", "--store", store, "--accept-loss");
        assertEquals(0, accepted.exitCode(), accepted.toString());
        assertTrue(accepted.err().contains("lost: "), accepted.toString());
        try (Stream<Path> copies = Files.list(store.resolve("damaged-log-1"))) {
            assertEquals(
                    List.of(log.getFileName()), copies.map(Path::getFileName).toList());
        }
        try (StorageNode node = Imports.open(store);
                SqlEngine engine = SqlEngine.on(node, SqlSettings.defaults());
                SqlSession session = engine.open()) {
            String found = DistributedCluster.run(session, ROWS).get(0);
            assertTrue(found.contains("[0]") && !found.contains("[" + (COMMITS - 1) + "]"), found);
        }
        Result sound = run("recover", "--store", store);
        assertEquals(0, sound.exitCode(), sound.toString());
    }

    private static void commit(NodeProcess node) {
        RemoteSettings settings = RemoteSettings.of(node.address());
        try (SqlEngine engine = SqlEngine.onNodes(
                        new ClusterParticipants(Map.of(settings.name(), node.client())),
                        SqlSettings.forNodes(),
                        Clock.systemUTC());
                SqlSession session = engine.open()) {
            for (int i = 0; i < COMMITS; i++) {
                String row = "INSERT INTO t VALUES (" + i + ", '" + "x".repeat(100 + i) + "');";
                assertEquals(List.of("1 changed"), DistributedCluster.run(session, row));
            }
        }
    }

    private static Path log(Path store) throws IOException {
        try (Stream<Path> files = Files.list(store.resolve("db"))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .max(Comparator.comparingLong(file -> file.toFile().length()))
                    .orElseThrow();
        }
    }

    private Result run(Object... arguments) throws IOException, InterruptedException {
        return SluiceProcess.run(
                directory, Stream.of(arguments).map(Object::toString).toArray(String[]::new));
    }
}
