package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.HaltingSluice;
import io.sluice.it.support.NodeProcesses;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.testing.Cases;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A table with several column families through the programs: what users see of its rows is what they see of a table
 * with one, whatever the mode of the import.
 */
@SuppressWarnings("NullAway.Init") // JUnit and the set-up set the fields
@SomeTests(2)
class FamiliesIT {
    private static final int ROWS = 20_000;
    private static final int CHANGES = 5_000;
    private static final long SEED = Seeds.of(FamiliesIT.class);

    @TempDir
    Path directory;

    private Path schema;
    private Path plain;
    private Path ordered;
    private Path shuffled;

    @BeforeEach
    void write() throws IOException {
        String sql = Stock.SQL.replace("UNIQUE INDEX by_code (code)", "UNIQUE INDEX by_code (code) STORING (quantity)");
        plain = Files.writeString(directory.resolve("plain.sql"), sql);
        schema = Files.writeString(
                directory.resolve("families.sql"),
                sql.substring(0, sql.length() - 2) + ", FAMILY (warehouse, item), FAMILY (quantity),"
                        + " FAMILY (note, code));");
        ordered = Stock.write(directory.resolve("ordered.csv"), Stock.numbers(ROWS));
        shuffled = Stock.write(directory.resolve("shuffled.csv"), Stock.shuffled(ROWS, SEED));
    }

    private Result run(String... arguments) {
        Result result = SluiceProcess.call(arguments);
        assertEquals(0, result.exitCode(), String.join(" ", arguments) + ": " + result);
        return result;
    }

    private Path store(String name) {
        return directory.resolve("store-" + name);
    }

    private String of(String command, String store, String... more) {
        List<String> arguments = new ArrayList<>(
                List.of(command, "stock", "--store", store(store).toString()));
        arguments.addAll(List.of(more));
        return run(arguments.toArray(new String[0])).out();
    }

    private JsonNode imported(Path sql, String store, Path input, String... more) throws IOException {
        return run(Stock.importing(sql, store(store), input, more)).report();
    }

    @Test
    void everyModeMakesTheSameTableWithTheRowsOfOneFamily() throws Exception {
        imported(plain, "plain", ordered);
        String digest = null;
        for (String mode : List.of("merge", "direct", "two-pass")) {
            for (Path input : List.of(ordered, shuffled)) {
                String name = mode + "-" + (input.equals(ordered) ? "ordered" : "shuffled");
                JsonNode report = imported(schema, name, input, "--mode", mode, "--verify", "full");
                assertEquals(ROWS, report.path("rowsImported").asInt(), report.toString());
                digest = digest == null ? report.path("digest").asText() : digest;
                assertEquals(digest, report.path("digest").asText(), name + ", seed " + SEED);
            }
        }
        assertNotEquals(of("digest", "plain"), of("digest", "merge-ordered"), "the KVs are others");
        String name = "two-pass-shuffled";
        assertEquals(of("get", "plain", "7", "123"), of("get", name, "7", "123"));
        assertEquals(of("scan", "plain"), of("scan", name));
        assertEquals(
                of("scan", "plain", "--index", "by_code", "--limit", "999"),
                of("scan", name, "--index", "by_code", "--limit", "999"));
        assertEquals(of("scan", "plain", "--from", "3", "--to", "5"), of("scan", name, "--from", "3", "--to", "5"));
        for (String each : List.of("plain", name)) {
            Path to = Files.createDirectory(directory.resolve("out-" + each));
            of("export", each, "--to", to.toString(), "--parts", "3");
        }
        assertEquals(rows("out-plain"), rows("out-" + name));
        JsonNode counted = run("digest", "stock", "--store", store(name).toString(), "--json")
                .report();
        assertEquals(ROWS, counted.path("rows").asInt(), counted.toString());
    }

    private List<String> rows(String exported) throws IOException {
        List<String> rows = new ArrayList<>();
        try (var files = Files.list(directory.resolve(exported))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".csv")).toList()) {
                List<String> lines = Files.readAllLines(file);
                rows.addAll(lines.subList(1, lines.size()));
            }
        }
        rows.sort(String::compareTo);
        assertEquals(ROWS, rows.size());
        return rows;
    }

    @Test
    void statementsAndAppendsLeaveWhatTheyLeaveOfOneFamily() throws Exception {
        String changes = "UPDATE stock SET note = NULL, code = NULL WHERE warehouse = 2;"
                + " UPDATE stock SET quantity = NULL WHERE warehouse = 3;"
                + " UPDATE stock SET note = 'again' WHERE warehouse = 2 AND item < 10;"
                + " DELETE FROM stock WHERE warehouse = 4 AND item < 500;"
                + " INSERT INTO stock VALUES (500, 1, NULL, 'new', NULL), (500, 2, 7, NULL, NULL);"
                + " BEGIN; DELETE FROM stock WHERE warehouse = 500 AND item = 1;"
                + " INSERT INTO stock VALUES (500, 1, NULL, NULL, NULL); COMMIT";
        Path more =
                Files.writeString(directory.resolve("more.csv"), "500,3,1,added,note\n2,11,,,\n3,7,5,,\n500,2,7,,\n");
        for (String name : List.of("plain", "families")) {
            Path sql = name.equals("plain") ? plain : schema;
            imported(sql, name, shuffled);
            run("sql", "--store", store(name).toString(), "-e", changes);
            JsonNode report = imported(sql, name, more, "--append", "--on-conflict", "last", "--verify", "full");
            assertEquals(1, report.path("duplicates").asInt(), report.toString());
        }
        assertEquals(of("scan", "plain"), of("scan", "families"));
        for (String index : List.of("by_code", "by_item")) {
            assertEquals(of("scan", "plain", "--index", index), of("scan", "families", "--index", index));
        }
        // A backup fails unless the store counts exactly the KVs that it has.
        Path set = directory.resolve("set");
        run("backup", "stock", "--store", store("families").toString(), "--output", set.toString());
        run("verify", set.toString());
        run("ingest", set.toString(), "--store", store("restored").toString(), "--verify", "full");
        assertEquals(of("digest", "families"), of("digest", "restored"));
        assertEquals(of("scan", "families"), of("scan", "restored"));
    }

    @Test
    void stagedSetIsTheTableOfAnImport() throws Exception {
        JsonNode report = imported(schema, "imported", ordered);
        Path set = directory.resolve("set");
        run("build", "--schema", schema.toString(), "--output", set.toString(), "--memory", "64m", shuffled.toString());
        run("verify", set.toString());
        assertTrue(Files.readString(set.resolve("manifest.json")).contains("\"encoder\":2"));
        run("ingest", set.toString(), "--store", store("ingested").toString());
        assertEquals(of("digest", "imported"), of("digest", "ingested"));
        assertEquals(ROWS, report.path("rowsImported").asInt());
    }

    @Test
    void changeLogLeavesWhatItLeavesOfOneFamily() throws Exception {
        Random random = new Random(SEED);
        boolean[] there = new boolean[ROWS];
        Arrays.fill(there, true);
        List<String> changes = new ArrayList<>();
        for (int i = 0; i < CHANGES; i++) {
            int row = random.nextInt(ROWS);
            String key = "\"warehouse\":" + row / 1_000 + ",\"item\":" + row % 1_000;
            String op = !there[row] ? "insert" : random.nextBoolean() ? "delete" : "update";
            there[row] = !op.equals("delete");
            String values = op.equals("delete")
                    ? "\"key\":{" + key + "}"
                    : "\"row\":{" + key + ",\"quantity\":" + (random.nextBoolean() ? "null" : i) + ",\"note\":"
                            + (random.nextBoolean() ? "null" : "\"note " + i + "\"") + ",\"code\":"
                            + (random.nextBoolean() ? "null" : "\"c" + i + "\"") + "}";
            changes.add("{\"table\":\"stock\",\"op\":\"" + op + "\"," + values + "}");
        }
        Path log = Files.write(directory.resolve("changes.jsonl"), changes);
        for (String name : List.of("plain", "families")) {
            imported(name.equals("plain") ? plain : schema, name, shuffled);
            run("apply", log.toString(), "--store", store(name).toString(), "--batch", "300", "--workers", "2");
        }
        String context = "seed " + SEED;
        assertEquals(of("scan", "plain"), of("scan", "families"), context);
        for (String index : List.of("by_code", "by_item")) {
            assertEquals(of("scan", "plain", "--index", index), of("scan", "families", "--index", index), context);
        }
        Path set = directory.resolve("set");
        run("backup", "stock", "--store", store("families").toString(), "--output", set.toString());
    }

    @Test
    void killedImportGoesOn() throws Exception {
        String digest = imported(schema, "whole", shuffled).path("digest").asText();
        String mode = List.of("merge", "direct", "two-pass").get(new Random(SEED).nextInt(3));
        String[] importing = Stock.importing(schema, store(mode), shuffled, "--mode", mode);
        Result killed = SluiceProcess.run(directory, HaltingSluice.at("shipped"), importing);
        assertEquals(SluiceProcess.KILLED, killed.exitCode(), mode + ": " + killed);
        JsonNode report = run(importing).report();
        assertEquals(digest, report.path("digest").asText(), mode + ", seed " + SEED);
    }

    @Test
    void serviceImportsRowsOfSeveralFamilies() throws Exception {
        imported(schema, "one", ordered);
        SluiceProcess service = SluiceProcess.serve(directory, "127.0.0.1:0", directory);
        try {
            ServiceClient client = new ServiceClient(service.url());
            client.create(ServiceClient.spec("stock", Files.readString(schema), shuffled));
            assertEquals("succeeded", client.finished("stock").path("state").asText());
            for (String command : List.of("digest", "scan")) {
                assertEquals(
                        of(command, "one"),
                        run(command, "stock", "--server", service.url()).out());
            }
        } finally {
            service.terminate();
            Result unused = service.await();
        }
    }

    /** Ranges are split, moved and copied between their rows. */
    @Test
    void clusterMovesAndRepairsWholeRows() throws Exception {
        Path few = Stock.write(directory.resolve("few.csv"), Stock.shuffled(ROWS / 5, SEED));
        imported(schema, "one", few);
        try (ClusterProcesses cluster = new ClusterProcesses(directory, 3)) {
            cluster.launchAll();
            onCluster(
                    cluster,
                    "import",
                    "--schema",
                    schema.toString(),
                    "--replicas",
                    "2",
                    "--memory",
                    "64m",
                    few.toString());
            String said = onCluster(cluster, "cluster", "rebalance", "--max-range-size", "20k");
            assertTrue(said.contains("split"), said);
            assertEquals(of("scan", "one"), onCluster(cluster, "scan", "stock"));
            onCluster(cluster, "cluster", "drain", "n2");
            onCluster(cluster, "cluster", "verify");
            assertEquals(of("scan", "one"), onCluster(cluster, "scan", "stock"));
            assertEquals(of("digest", "one"), onCluster(cluster, "digest", "stock"));
        }
    }

    private static String onCluster(ClusterProcesses cluster, String... arguments) {
        Result result = cluster.sluice(0, arguments);
        assertEquals(0, result.exitCode(), String.join(" ", arguments) + ": " + result);
        return result.out();
    }

    @Test
    void severalNodesNeverCutARow() throws Exception {
        imported(schema, "one", ordered);
        try (NodeProcesses nodes = NodeProcesses.start(directory, 3)) {
            for (String mode : Cases.some(SEED, 1, List.of("direct", "two-pass", "merge"))) {
                JsonNode report = run(
                                "import",
                                "--schema",
                                schema.toString(),
                                "--nodes",
                                nodes.addresses(),
                                "--mode",
                                mode,
                                "--memory",
                                "64m",
                                "--json",
                                shuffled.toString())
                        .report();
                assertEquals(ROWS, report.path("rowsImported").asInt(), report.toString());
                String expected = of("scan", "one");
                assertEquals(
                        expected,
                        run("scan", "stock", "--nodes", nodes.addresses()).out(),
                        mode + ", seed " + SEED);
                assertEquals(
                        of("get", "one", "7", "123"),
                        run("get", "stock", "--nodes", nodes.addresses(), "7", "123")
                                .out());
                run(
                        "sql",
                        "--nodes",
                        nodes.addresses(),
                        "-e",
                        "UPDATE stock SET quantity = NULL WHERE warehouse = 3; UPDATE stock SET note = 'x' WHERE item = 7");
                String counted = run(
                                "sql",
                                "--nodes",
                                nodes.addresses(),
                                "-e",
                                "SELECT count(*) FROM stock WHERE quantity IS NULL")
                        .out();
                assertTrue(counted.contains("1000"), counted);
                run("drop", "stock", "--nodes", nodes.addresses());
            }
        }
    }
}
