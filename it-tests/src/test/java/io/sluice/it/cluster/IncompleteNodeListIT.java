package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.node.NodeStatus;
import io.sluice.client.RemoteNode;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.NodeProcesses;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.testing.Cases;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands get the right answer or a refusal from every subset of a table's nodes, and never an answer from a part. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class IncompleteNodeListIT {
    private static final int ROWS = 3_000;
    private static final int NODES = 3;
    private static final long SEED = Seeds.of(IncompleteNodeListIT.class);
    private static final int SOME_SUBSETS = 2;

    @TempDir
    static Path directory;

    @Test
    void subsetsOfThreeNodesAnswerForTheWholeTableOrRefuse() throws Exception {
        Path schema = Files.writeString(
                directory.resolve("t.sql"), "CREATE TABLE t (id INT8 PRIMARY KEY, name STRING, INDEX by_name (name));");
        Path rows = Files.writeString(
                directory.resolve("t.csv"),
                IntStream.range(0, ROWS).mapToObj(i -> i + ",name" + i + "\n").collect(Collectors.joining()));
        try (NodeProcesses nodes = NodeProcesses.start(directory, NODES)) {
            for (int replicas = 1; replicas <= 2; replicas++) {
                answersOrRefuses(nodes, replicas, schema, rows);
            }
            Path store = directory.resolve("node-0");
            Result imported = run(nodes.addresses(), "import", "--schema", schema.toString(), rows.toString());
            assertEquals(0, imported.exitCode(), imported.toString());
            nodes.get(0).close();
            for (String command : List.of("digest", "scan", "drop", "tune")) {
                refused(SluiceProcess.call(command, "t", "--store", store.toString()), command);
            }
        }
    }

    private static void answersOrRefuses(NodeProcesses nodes, int replicas, Path schema, Path rows) throws Exception {
        String all = nodes.addresses();
        Result imported =
                run(all, "import", "--schema", schema.toString(), "--replicas", "" + replicas, rows.toString());
        assertEquals(0, imported.exitCode(), imported.toString());
        Result inserted = run(
                all,
                "sql",
                "-e",
                IntStream.range(ROWS, ROWS + 30)
                        .mapToObj(i -> "INSERT INTO t VALUES (" + i + ", 'name" + i + "');")
                        .collect(Collectors.joining()));
        assertEquals(0, inserted.exitCode(), inserted.toString());
        String digest = ok(run(all, "digest", "t"));
        String scanned = ok(run(all, "scan", "t"));
        String byName = ok(run(all, "scan", "t", "--index", "by_name", "--limit", "5"));
        assertEquals(ROWS + 30, scanned.lines().count());

        List<Integer> subsets = IntStream.range(1, 1 << NODES).boxed().toList();
        for (int subset : Cases.some(SEED + replicas, SOME_SUBSETS, subsets)) {
            List<NodeProcess> named = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                if ((subset & 1 << i) != 0) {
                    named.add(nodes.get(i));
                }
            }
            String list = named.stream().map(NodeProcess::address).collect(Collectors.joining(","));
            String context = "seed " + SEED + ", replicas " + replicas + ", subset " + subset + " of " + all;
            boolean complete = named.size() > NODES - replicas;
            Result tables = run(list, "tables", "--json");
            JsonNode table = new ObjectMapper().readTree(tables.out());
            List<Result> reads = new ArrayList<>(List.of(
                    run(list, "digest", "t"),
                    run(list, "scan", "t"),
                    run(list, "scan", "t", "--index", "by_name", "--limit", "5")));
            for (int id : List.of(0, 1_500, ROWS + 1)) {
                reads.add(run(list, "get", "t", "" + id));
            }
            if (complete) {
                assertEquals(0, tables.exitCode(), context + tables);
                assertEquals(digest, ok(reads.get(0)), context);
                assertEquals(scanned, ok(reads.get(1)), context);
                assertEquals(byName, ok(reads.get(2)), context);
                assertTrue(
                        table.get("rows").isNull() || table.get("rows").asLong() == ROWS + 30, context + tables.out());
                assertEquals(named.size() < NODES, table.get("rows").isNull(), context + tables.out());
                assertNull(table.get("incomplete"), context);
            } else {
                assertEquals(1, tables.exitCode(), context + tables);
                assertTrue(table.get("rows").isNull(), context + tables.out());
                assertNamesWhatIsMissing(table.get("incomplete").asText(), nodes, named, context);
            }
            for (Result read : reads) {
                if (complete) {
                    assertEquals(0, read.exitCode(), context + read);
                } else {
                    refused(read, context);
                    assertNamesWhatIsMissing(read.err(), nodes, named, context);
                }
            }
            if (named.size() < NODES) {
                refused(run(list, "drop", "t"), context);
                refused(run(list, "tune", "t", "--tombstone-conversion", "4"), context);
                Result counted = run(list, "sql", "-e", "SELECT count(*) FROM t");
                assertTrue(counted.exitCode() != 0 || counted.out().contains("" + (ROWS + 30)), context + counted);
            }
        }
        // Nothing of the above changed anything.
        assertEquals(digest, ok(run(all, "digest", "t")));
        assertTrue(ok(run(all, "tune", "t")).startsWith("tombstone conversion: off"));
        assertEquals("", ok(run(all, "drop", "t", "--quiet")));
    }

    private static void assertNamesWhatIsMissing(
            String message, NodeProcesses nodes, List<NodeProcess> named, String context) {
        assertTrue(message.contains("key ranges cannot be read, ["), context + message);
        for (NodeProcess node : nodes.all()) {
            boolean missing = message.contains(id(node)) && message.contains("last known at " + node.address());
            assertEquals(!named.contains(node), missing, context + message + " of " + node.address());
        }
    }

    private static String id(NodeProcess node) {
        try (RemoteNode client = node.client()) {
            NodeStatus status = client.status();
            return status.id();
        }
    }

    private static void refused(Result result, String context) {
        assertEquals(1, result.exitCode(), context + result);
        assertEquals("", result.out(), context);
        assertFalse(result.err().isEmpty(), context);
    }

    private static String ok(Result result) {
        assertEquals(0, result.exitCode(), result.toString());
        return result.out();
    }

    private static Result run(String nodes, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(1, List.of("--nodes", nodes));
        return SluiceProcess.call(all.toArray(new String[0]));
    }

    @Test
    void badListsAreRefused() {
        assertRefused("must name this node, too: 127.0.0.1:7999", "127.0.0.1:7001");
        assertRefused("other addresses need --tls-cert", "127.0.0.1:7999", "--raft-listen", "0.0.0.0:7998");
        assertRefused("127.0.0.1:8000 is this node's address for the consensus", "127.0.0.1:7999,127.0.0.1:8000");
        assertRefused("--name: must be a word", "127.0.0.1:7999", "--name", "");
        assertRefused("--name: must be a word", "127.0.0.1:7999", "--name", "two\nlines");
        Result none = SluiceProcess.call("cluster", "status");
        assertEquals(2, none.exitCode(), none.toString());
    }

    /** A node that listens at port 7999 is not started with this list of nodes. */
    private void assertRefused(String why, String... list) {
        String store = directory.resolve("x").toString();
        List<String> command =
                new ArrayList<>(List.of("node", "--store", store, "--listen", "127.0.0.1:7999", "--cluster"));
        command.addAll(List.of(list));
        Result refused = SluiceProcess.call(command.toArray(new String[0]));
        assertEquals(2, refused.exitCode(), refused.toString());
        assertTrue(refused.err().contains(why), refused.err());
    }
}
