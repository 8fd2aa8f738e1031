package io.sluice.cli.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.jobs.Commands.Result;
import io.sluice.node.ingest.FaultPoints;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reject bundles and staged sets that a service imports, with a real one over a real store. */
@SuppressWarnings("NullAway.Init") // made before all tests
class NamedSourcesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SQL =
            "CREATE TABLE %s (id INT8 PRIMARY KEY, name STRING NOT NULL, UNIQUE INDEX by_name (name));";

    @TempDir
    static Path directory;

    @TempDir
    static Path elsewhere;

    private static final HeldShip SHIP = new HeldShip();

    private static RunningService service;

    /** Holds the next SST that a node has staged, before its sender knows it. */
    private static final class HeldShip implements FaultPoints {
        private final AtomicBoolean wanted = new AtomicBoolean();
        private final CountDownLatch arrived = new CountDownLatch(1);
        private final Semaphore released = new Semaphore(0);

        @Override
        public void reached(String point) {
            if (point.equals(FaultPoints.SHIPPED) && wanted.compareAndSet(true, false)) {
                arrived.countDown();
                released.acquireUninterruptibly();
            }
        }
    }

    @BeforeAll
    static void start() {
        service = new RunningService(directory, null, SHIP);
    }

    @AfterAll
    static void end() {
        service.close();
    }

    private static String schema(String table) throws IOException {
        return Files.writeString(directory.resolve(table + ".sql"), SQL.formatted(table))
                .toString();
    }

    private static Path file(String name, String... lines) throws IOException {
        return Files.write(directory.resolve(name), List.of(lines));
    }

    private static Result run(int exitCode, String... arguments) {
        Result result = Commands.run(arguments);
        assertEquals(exitCode, result.exitCode(), String.join(" ", arguments) + ": " + result);
        return result;
    }

    private static Result onService(int exitCode, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--server", service.url()));
        return run(exitCode, all.toArray(new String[0]));
    }

    private static JsonNode json(Result result) throws IOException {
        return JSON.readTree(result.out());
    }

    private static void importInto(String table, Path input, int exitCode) throws IOException {
        onService(
                exitCode,
                "import",
                "--schema",
                schema(table),
                "--job-id",
                table,
                "--max-rejects",
                "9",
                input.toString());
    }

    /** Builds a set of a table; returns its directory. */
    private static Path build(String table, Path input) throws IOException {
        Path set = directory.resolve(input.getFileName() + ".set");
        run(0, "build", "--schema", schema(table), "--output", set.toString(), "--memory", "64m", input.toString());
        return set;
    }

    @Test
    void rejectsOfAJobAreRepairedAndReplayed() throws IOException {
        importInto("repaired", file("repaired.csv", "1,a", "x,b", "3,c", "y,d"), 3);
        String bundle = directory.resolve("state/jobs/repaired/rejects").toString();
        Files.write(Path.of(bundle, "rejects.csv"), List.of("2,b", "y,d"));
        JsonNode report = json(onService(3, "replay", bundle, "--max-rejects", "1", "--json"));
        assertEquals(1, report.path("rowsImported").asInt(), report.toString());
        assertEquals(1, report.path("rowsRejected").asInt(), report.toString());
        Result failed = onService(2, "replay", bundle);
        assertTrue(failed.err().contains("y"), failed.toString());
        Files.write(Path.of(bundle, "rejects.csv"), List.of("2,b", "4,d"));
        Result text = onService(0, "replay", bundle);
        assertTrue(text.out().startsWith("imported 1 row into repaired"), text.toString());
        JsonNode again = json(onService(0, "replay", bundle, "--json"));
        assertEquals(0, again.path("rowsImported").asInt(), again.toString());
        assertEquals(2, again.path("duplicates").asInt(), again.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {"bundle": ""}                | bundle is required
            {"bundle": " "}               | bundle is required
            {"bundle": ["a"]}             | bundle must be a string
            {"set": ""}                   | set is required
            {"set": 7}                    | set must be a string
            {"set": null, "bundle": null} | schema is required; and 1 more errors
            """)
    void errorNamesTheMemberWithoutAPlace(String body, String detail) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(service.url() + "/v1/imports"))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(400, response.statusCode(), response.body());
        assertEquals(detail, JSON.readTree(response.body()).path("detail").asText(), response.body());
    }

    @Test
    void severalTablesAreRefusedWithTheOptionsThatTakeThem() throws IOException {
        Path dump = file("dump.sql", SQL.formatted("one"), SQL.formatted("two"));
        Path rows = file("one.csv", "1,a");
        for (String more : List.of("--quiet", "--dry-run")) {
            Result refused = onService(2, "import", "--schema", dump.toString(), rows.toString(), more);
            assertTrue(refused.err().contains("2 tables") && refused.err().contains("--table"), refused.toString());
            assertTrue(refused.err().contains("--store"), refused.toString());
        }
        onService(0, "import", "--schema", dump.toString(), "--table", "one", rows.toString());
    }

    /** The bundle of an import in another process, below a root; its report is that of a replay in this process. */
    @Test
    void bundleBelowARootIsReplayedAsItIsHere() throws IOException {
        Path input = file("below.csv", "1,a", "x,b");
        Path bundle = directory.resolve("below.rejects");
        Path store = elsewhere.resolve("below");
        String[] here = {
            "import",
            "--schema",
            schema("below"),
            "--store",
            store.toString(),
            "--memory",
            "64m",
            "--max-rejects",
            "1",
            "--rejects",
            bundle.toString(),
            input.toString()
        };
        run(3, here);
        Result missing = onService(2, "replay", bundle.toString());
        assertTrue(missing.err().contains("no table below"), missing.toString());
        onService(3, "import", "--schema", schema("below"), "--max-rejects", "1", input.toString());
        Files.write(bundle.resolve("rejects.csv"), List.of("2,b"));
        JsonNode there = json(onService(0, "replay", bundle.toString(), "--json"));
        JsonNode local =
                json(run(0, "replay", bundle.toString(), "--store", store.toString(), "--memory", "64m", "--json"));
        for (String member : List.of("state", "rowsRead", "rowsImported", "kvs", "mode", "verified")) {
            assertEquals(local.path(member), there.path(member), member);
        }
    }

    @Test
    void bundlesAndSetsElsewhereAreRefused() throws IOException {
        Files.createDirectories(elsewhere.resolve("b"));
        Files.writeString(elsewhere.resolve("b/manifest.json"), "{}");
        Files.createSymbolicLink(directory.resolve("link"), elsewhere.resolve("b"));
        Files.createDirectories(directory.resolve("linked"));
        Files.createSymbolicLink(directory.resolve("linked/manifest.json"), elsewhere.resolve("b/manifest.json"));
        for (String command : List.of("replay", "ingest")) {
            for (Path place : List.of(elsewhere.resolve("b"), elsewhere.resolve("none"), directory.resolve("link"))) {
                Result refused = onService(2, command, place.toString());
                assertTrue(refused.err().contains("is not below an allowed directory"), refused.toString());
            }
            Result none = onService(2, command, directory.resolve("none").toString());
            assertTrue(none.err().contains("none: no such directory"), none.toString());
            Result linked = onService(2, command, directory.resolve("linked").toString());
            assertTrue(linked.err().contains("has no file manifest.json"), linked.toString());
        }
        Result address = onService(2, "ingest", "s3://bucket/set");
        assertTrue(address.err().contains("is not below an allowed address"), address.toString());
        Result store = onService(2, "ingest", "set", "--store", "s", "--workers", "2", "--tmp", "t");
        for (String option : List.of("--store", "--workers", "--tmp")) {
            assertTrue(store.err().contains(option + " cannot be given with --server"), store.toString());
        }
        Result policy = onService(2, "ingest", "set", "--on-conflict", "last");
        assertTrue(policy.err().contains("--append"), policy.toString());
        Result neither = run(2, "replay", "bundle");
        assertTrue(neither.err().contains("or --server URL"), neither.toString());
    }

    @Test
    void setIsIngestedOnceAsItIsHere() throws IOException {
        Path set = build("staged", file("staged.csv", "1,a", "2,b", "3,c"));
        Result first = onService(0, "ingest", set.toString(), "--json", "--verify", "full");
        ObjectNode there = (ObjectNode) json(first);
        ObjectNode here = (ObjectNode) json(run(
                0,
                "ingest",
                set.toString(),
                "--store",
                elsewhere.resolve("staged").toString(),
                "--json"));
        // The service has other tables, so the table may have another id there.
        there.remove("rewritten");
        here.remove("rewritten");
        assertEquals(here, there);
        JsonNode again = json(onService(0, "ingest", set.toString(), "--json"));
        assertEquals("already_ingested", again.path("state").asText(), again.toString());
        assertEquals(0, again.path("rowsAdded").asInt(), again.toString());
        Result text = onService(0, "ingest", set.toString());
        assertTrue(text.out().startsWith("staged set " + set + ", table staged: already ingested\n"), text.out());
        Result detached = onService(0, "ingest", set.toString(), "--detach", "--label", "a=b");
        Result watched = onService(0, "jobs", "watch", detached.out().strip());
        assertTrue(watched.out().contains("staged"), watched.toString());
    }

    @Test
    void restoreOfAChangedTableIsNoSuccess() throws IOException {
        Path set = build("altered", file("altered.csv", "1,a", "2,b"));
        onService(0, "restore", set.toString());
        onService(0, "restore", set.toString());
        onService(
                0,
                "import",
                "--append",
                "--schema",
                schema("altered"),
                file("more-altered.csv", "3,c").toString());
        JsonNode again = json(onService(0, "ingest", set.toString(), "--json"));
        assertEquals("already_ingested_and_changed_since", again.path("state").asText(), again.toString());
        assertTrue(
                again.path("warnings").toString().contains("(rows now: 3, in the set: 2); nothing was done"),
                again.toString());
        Result restored = onService(2, "restore", set.toString(), "--quiet");
        assertTrue(restored.err().contains("not restored: table altered"), restored.toString());
    }

    @Test
    void ingestOfASetIsCancelledWhileAnSstIsOnItsWay() throws Exception {
        Path set = build("left", file("left.csv", "1,a", "2,b"));
        SHIP.wanted.set(true);
        String job = onService(0, "ingest", set.toString(), "--detach").out().strip();
        try {
            assertTrue(SHIP.arrived.await(60, TimeUnit.SECONDS));
            Result asked = onService(0, "jobs", "cancel", job);
            assertTrue(asked.out().contains("is cancelling"), asked.toString());
        } finally {
            SHIP.released.release();
        }
        Result ended = onService(1, "jobs", "watch", job);
        assertTrue(ended.err().contains("was cancelled and undone"), ended.toString());
        try (Stream<Path> files = Files.walk(directory.resolve("store/staging"))) {
            assertEquals(List.of(), files.filter(Files::isRegularFile).toList());
        }
        JsonNode again = json(onService(0, "ingest", set.toString(), "--json"));
        assertEquals("ingested", again.path("state").asText(), again.toString());
        assertEquals(2, again.path("rowsAdded").asInt(), again.toString());
    }

    @Test
    void setIsAppended() throws IOException {
        importInto("grown", file("grown.csv", "1,a", "2,b"), 0);
        Path set = build("grown", file("more.csv", "2,b", "3,c"));
        JsonNode added = json(onService(0, "ingest", set.toString(), "--append", "--json"));
        assertEquals("appended", added.path("state").asText(), added.toString());
        assertEquals(1, added.path("rowsAdded").asInt(), added.toString());
        Path other = build("grown", file("conflict.csv", "3,d"));
        Result refused = onService(2, "ingest", other.toString(), "--append");
        assertTrue(refused.err().contains("id = 3"), refused.toString());
        JsonNode replaced =
                json(onService(0, "ingest", other.toString(), "--append", "--on-conflict", "last", "--json"));
        assertEquals(1, replaced.path("rowsReplaced").asInt(), replaced.toString());
        Result exists = onService(2, "ingest", other.toString());
        assertTrue(exists.err().contains("grown"), exists.toString());
    }

    @Test
    void damagedSetIsNotIngested() throws IOException {
        Path set = build("damaged", file("damaged.csv", "1,a", "2,b"));
        try (var files = Files.list(set)) {
            Path sst = files.filter(each -> each.toString().endsWith(".sst"))
                    .findFirst()
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(sst);
            bytes[bytes.length / 2] ^= 1;
            Files.write(sst, bytes);
            Result refused = onService(2, "ingest", set.toString());
            assertTrue(refused.err().contains(sst.getFileName().toString()), refused.toString());
        }
        assertTrue(onService(0, "jobs", "list", "--json").out().contains("\"failed\""));
        Result missing =
                run(2, "digest", "damaged", "--store", directory.resolve("none").toString());
        assertTrue(missing.err().contains("none"), missing.toString());
    }
}
