package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.it.support.NodeProcesses;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A table with several column families through the programs: what users see of its rows is what they see of a table
 * with one, whatever the mode of the import.
 */
@SuppressWarnings("NullAway.Init") // JUnit and the set-up set the fields
class FamiliesIT {
    private static final int ROWS = 20_000;
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

    private Result run(String... arguments) throws IOException, InterruptedException {
        Result result = SluiceProcess.run(directory, arguments);
        assertEquals(0, result.exitCode(), String.join(" ", arguments) + ": " + result);
        return result;
    }

    private Path store(String name) {
        return directory.resolve("store-" + name);
    }

    private String of(String command, String store, String... more) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(
                List.of(command, "stock", "--store", store(store).toString()));
        arguments.addAll(List.of(more));
        return run(arguments.toArray(new String[0])).out();
    }

    private JsonNode imported(Path sql, String store, Path input, String... more)
            throws IOException, InterruptedException {
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
        JsonNode counted = SluiceProcess.run(
                        directory, "digest", "stock", "--store", store(name).toString(), "--json")
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
    void severalNodesNeverCutARow() throws Exception {
        imported(schema, "one", ordered);
        try (NodeProcesses nodes = NodeProcesses.start(directory, 3)) {
            for (String mode : List.of("direct", "two-pass", "merge")) {
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
