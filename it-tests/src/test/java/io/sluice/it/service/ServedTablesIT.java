package io.sluice.it.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.NodeProcesses;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.StagedSets;
import io.sluice.it.support.Stock;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands on the tables of a service while it runs, over a store and over nodes. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
@SomeTests(1)
class ServedTablesIT {
    private static final int ROWS = 2_000;

    @TempDir
    Path directory;

    private static Result sluice(String... arguments) {
        return SluiceProcess.call(arguments);
    }

    private static String out(String... arguments) {
        Result result = sluice(arguments);
        assertEquals(0, result.exitCode(), String.join(" ", arguments) + ": " + result);
        return result.out();
    }

    private void importStock(String url) {
        Path rows = Stock.write(
                directory.resolve("stock.csv"), IntStream.range(0, ROWS).boxed().toList());
        ServiceClient client = new ServiceClient(url);
        client.create(ServiceClient.spec("stock", Stock.SQL, rows));
        assertEquals("succeeded", client.finished("stock").path("state").asText());
    }

    /** Runs every command; returns the digest. */
    private String assertRead(String url) {
        assertTrue(out("tables", "--server", url).contains("stock"));
        assertEquals(
                ROWS,
                out("scan", "stock", "--server", url, "--format", "csv").lines().count());
        List<String> keys = List.of(out("scan", "stock", "--server", url, "--format", "csv", "--limit", "1")
                .strip()
                .split(",", -1));
        List<String> get = new ArrayList<>(List.of("get", "stock", "--server", url, "--format", "csv"));
        get.addAll(keys.subList(0, 2));
        assertEquals(String.join(",", keys), out(get.toArray(new String[0])).strip());
        get.set(get.size() - 1, "999999");
        assertEquals(1, sluice(get.toArray(new String[0])).exitCode());
        assertTrue(
                out("sql", "--server", url, "-e", "SELECT count(*) FROM stock").contains(String.valueOf(ROWS)));
        String wide = out("sql", "--server", url, "-e", "SELECT " + "'a', ".repeat(5_000) + "item FROM stock");
        assertTrue(wide.length() > 16 << 20, "rows of more than 16 MiB");
        assertEquals(ROWS + 1, wide.lines().count());
        Path export = directory.resolve("export-" + url.substring(url.lastIndexOf(':') + 1));
        out("export", "stock", "--server", url, "--parts", "2", "--to", export.toString());
        assertTrue(Files.exists(export.resolve("manifest.json")));
        Path backup = directory.resolve("backup" + url.substring(url.lastIndexOf(':') + 1));
        out("backup", "stock", "--server", url, "--output", backup.toString());
        assertTrue(Files.exists(backup.resolve("manifest.json")));
        return out("digest", "stock", "--server", url);
    }

    /** A damaged set and a row that is none, for a service and for a store. */
    private void assertBadInputIsRefusedAsByAStore(String url) throws IOException {
        Path set = directory.resolve("backup" + url.substring(url.lastIndexOf(':') + 1));
        StagedSets.damage(set);
        Path schema = Files.writeString(directory.resolve("stock.sql"), Stock.SQL);
        Path rows = Files.writeString(directory.resolve("bad.csv"), "no row\n");
        String store = directory.resolve("store").toString();
        for (List<String> place : List.of(List.of("--server", url), List.of("--store", store))) {
            List<String> ingest = new ArrayList<>(List.of("ingest", set.toString()));
            ingest.addAll(place);
            Result damaged = sluice(ingest.toArray(new String[0]));
            assertEquals(2, damaged.exitCode(), damaged.toString());
            List<String> imported = new ArrayList<>(List.of("import", "--schema", schema.toString(), rows.toString()));
            imported.addAll(place);
            Result bad = sluice(imported.toArray(new String[0]));
            assertEquals(2, bad.exitCode(), bad.toString());
        }
    }

    @Test
    void tablesOfARunningServiceAreReadAndDropped() throws Exception {
        SluiceProcess service = SluiceProcess.serve(directory, "127.0.0.1:0", directory);
        try {
            String url = service.url();
            importStock(url);
            String digest = assertRead(url);
            String returned = out(
                    "sql",
                    "--server",
                    url,
                    "-e",
                    "BEGIN; DELETE FROM stock WHERE warehouse = 1 AND item IN (1, 2) RETURNING item; ROLLBACK");
            assertTrue(returned.contains("item\n1\n2\n"), returned);
            out("sql", "--server", url, "-e", "BEGIN; DELETE FROM stock WHERE warehouse = 1 AND item = 1; ROLLBACK");
            assertEquals(digest, out("digest", "stock", "--server", url));
            Result both = sluice("tables", "--server", url, "--store", directory.toString());
            assertEquals(2, both.exitCode(), both.toString());
            out("drop", "stock", "--server", url);
            Result gone = sluice("digest", "stock", "--server", url);
            assertEquals(2, gone.exitCode(), gone.toString());
            assertBadInputIsRefusedAsByAStore(url);
        } finally {
            service.terminate();
            Result unused = service.await();
        }
        assertEquals(
                "",
                out("tables", "--json", "--store", directory.resolve("store").toString()));
    }

    @Test
    void tablesOnNodesAreReadThroughTheirServiceAndNeverInPart() throws Exception {
        try (NodeProcesses nodes = NodeProcesses.start(directory, 2)) {
            SluiceProcess service = SluiceProcess.start(
                    directory,
                    List.of(),
                    "serve",
                    "--nodes",
                    nodes.addresses(),
                    "--state",
                    directory.resolve("state").toString(),
                    "--listen",
                    "127.0.0.1:0",
                    "--allow-root",
                    directory.toString());
            try {
                String url = service.url();
                importStock(url);
                assertEquals(out("digest", "stock", "--nodes", nodes.addresses()), assertRead(url));
                nodes.get(1).kill();
                Result tables = sluice("tables", "--server", url);
                assertEquals(1, tables.exitCode(), tables.toString());
                assertTrue(tables.err().contains(nodes.get(1).address()), tables.toString());
                Result scan = sluice("scan", "stock", "--server", url);
                assertTrue(scan.exitCode() != 0, scan.toString());
            } finally {
                service.terminate();
                Result unused = service.await();
            }
        }
    }
}
