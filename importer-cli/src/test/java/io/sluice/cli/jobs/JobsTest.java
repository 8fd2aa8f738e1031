package io.sluice.cli.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.jobs.Commands.Result;
import io.sluice.cli.jobs.client.JobView;
import io.sluice.cli.jobs.client.JobWatch;
import io.sluice.cli.jobs.client.ServiceAddress;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.service.job.JobState;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that speak to an import service, with a real one over a real store. */
@SuppressWarnings("NullAway.Init") // made before all tests
class JobsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SQL =
            "CREATE TABLE %s (id INT8 PRIMARY KEY, name STRING NOT NULL, INDEX by_name (name));";
    private static final int ROWS = 20_000;

    @TempDir
    static Path directory;

    private static RunningService service;
    private static Path rows;

    @BeforeAll
    static void start() throws IOException {
        service = new RunningService(directory, null);
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            lines.add(i + ",name " + Integer.toHexString(i * 0x9e3779b1));
        }
        rows = Files.write(directory.resolve("rows.csv"), lines);
    }

    @AfterAll
    static void end() {
        service.close();
    }

    private static String schema(String table) throws IOException {
        return Files.writeString(directory.resolve(table + ".sql"), SQL.formatted(table))
                .toString();
    }

    private static Result jobs(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add(0, "jobs");
        all.addAll(List.of("--server", service.url()));
        return Commands.run(all.toArray(new String[0]));
    }

    private static Result submit(String table, Path input, String... more) throws IOException {
        List<String> all = new ArrayList<>(
                List.of("import", "--server", service.url(), "--schema", schema(table), input.toString()));
        all.addAll(List.of(more));
        return Commands.run(all.toArray(new String[0]));
    }

    /** Reads for a minute unless it is cancelled. */
    private static void submitSlow(String table) throws IOException {
        Result submitted = submit(table, rows, "--job-id", table, "--detach", "--mode", "direct", "--max-rate", "8k");
        assertEquals(0, submitted.exitCode(), submitted.toString());
        assertEquals(table + "\n", submitted.out());
    }

    private static JsonNode post(String path, JsonNode body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(service.url() + path))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .build();
        return JSON.readTree(HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body());
    }

    private static ObjectNode request(Path input) {
        ObjectNode request = JSON.createObjectNode();
        request.putArray("inputs").add(input.toString());
        return request;
    }

    /** The format that a preview finds makes an import that gives the rows of one without a schema in this process. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            quotes  | id,name~1,'a,b'~2,'c,d'~
            escapes | id,name~1,"a\\"b"~2,"c,d"~
            nulls   | id,name,n~1,a,\\N~2,\\N,5~3,,7~
            excel   | sep=;~id;name~1;a~2;b~
            unnamed | id,name,,name~1,a,b,c~2,d,e,f~
            """)
    void previewFindsWhatAnImportWithoutSchemaDoes(String table, String text) throws Exception {
        Path input = Files.writeString(directory.resolve(table + ".csv"), text.replace("~", "\n"));
        String store = directory.resolve("here-" + table).toString();
        Result here = Commands.run("import", "--store", store, "--memory", "128m", "--json", input.toString());
        assertEquals(0, here.exitCode(), here.toString());
        JsonNode preview = post("/v1/preview", request(input));
        ObjectNode request = request(input).put("jobId", table);
        request.put("schema", preview.path("schema").asText()).set("format", preview.path("format"));
        JsonNode job = post("/v1/imports", request);
        Result watched = jobs("watch", table);
        assertEquals(0, watched.exitCode(), preview + "\n" + job + "\n" + watched);
        JsonNode report = JSON.readTree(here.out());
        assertEquals(text.contains("3,,7") ? 3 : 2, report.path("rowsImported").asInt());
        assertTrue(watched.out().contains(report.path("digest").asText() + " (verified)"), here + "\n" + watched);
    }

    @Test
    void previewRefusesWhatAnImportWithoutSchemaDoes() throws Exception {
        Path xml = Files.writeString(directory.resolve("rows.xml"), "<rows><row a='1,2'/></rows>\n");
        JsonNode refused = post("/v1/preview", request(xml));
        assertTrue(refused.path("detail").asText().contains("is an XML document"), refused.toString());
        Path title = Files.writeString(directory.resolve("title.csv"), "Sales of May\nid,name,n\n1,a,2\n2,b,3\n");
        JsonNode before = post("/v1/preview", request(title));
        assertTrue(before.path("detail").asText().contains("--skip 1 passes over these"), before.toString());
        for (String other : List.of("bundle", "set")) {
            // The files below it were read as inputs.
            JsonNode none = post("/v1/preview", JSON.createObjectNode().put(other, title.toString()));
            assertEquals(
                    "preview: only an import of inputs has one",
                    none.path("detail").asText());
        }
    }

    @Test
    void aServiceImportsWhatAnImportHereDoes() throws IOException {
        Result here = Commands.run(
                "import",
                "--schema",
                schema("same"),
                "--store",
                directory.resolve("here").toString(),
                "--memory",
                "128m",
                "--json",
                rows.toString());
        Result there = submit("same", rows, "--json", "--label", "team=sales", "--label", "day=1");
        assertEquals(0, there.exitCode(), there.toString());
        JsonNode report = JSON.readTree(there.out());
        assertEquals(ROWS, report.path("rowsImported").asInt(), there.toString());
        assertEquals(JSON.readTree(here.out()).path("kvs"), report.path("kvs"));
        assertTrue(report.path("verified").asBoolean());

        Result listed = jobs("list", "--label", "team=sales", "--json");
        JsonNode job = JSON.readTree(listed.out());
        assertEquals("succeeded", job.path("state").asText(), listed.toString());
        String id = job.path("jobId").asText();
        Result shown = jobs("show", id);
        assertTrue(shown.out().startsWith("job " + id + ": succeeded\n"), shown.out());
        assertTrue(shown.out().contains("labels    team=sales, day=1\n"), shown.out());
        assertTrue(shown.out().contains(report.path("digest").asText()), shown.out());
        Result watched = jobs("watch", id);
        assertEquals(0, watched.exitCode());
        assertTrue(watched.out().startsWith("imported 20,000 rows into same"), watched.out());
        assertEquals("", jobs("list", "--label", "team=absent", "--json").out());
        assertEquals("no jobs\n", jobs("list", "--state", "cancelling").out());
    }

    /** As a shell's process substitution gives it: it can be read once. */
    @Test
    void schemaMayBeAPipe() throws Exception {
        Path pipe = directory.resolve("schema.pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor(), "mkfifo");
        Process writer = new ProcessBuilder("cp", schema("piped"), pipe.toString()).start();
        Result imported = assertTimeoutPreemptively(
                Duration.ofMinutes(1),
                () -> Commands.run(
                        "import", "--server", service.url(), "--schema", pipe.toString(), "--json", rows.toString()));
        assertEquals(0, imported.exitCode(), imported.toString());
        assertEquals(ROWS, JSON.readTree(imported.out()).path("rowsImported").asInt());
        assertEquals(0, writer.waitFor());
    }

    @Test
    void theDigestIsThatOfAnImportIntoTheSameTable() throws IOException {
        Path other = Files.createDirectories(directory.resolve("digests"));
        Files.copy(rows, other.resolve("rows.csv"));
        try (RunningService first = new RunningService(other, null)) {
            Result there = Commands.run(
                    "import",
                    "--server",
                    first.url(),
                    "--schema",
                    schema("digests"),
                    "--json",
                    other.resolve("rows.csv").toString());
            Result here = Commands.run(
                    "import",
                    "--schema",
                    schema("digests"),
                    "--store",
                    other.resolve("here").toString(),
                    "--memory",
                    "128m",
                    "--json",
                    rows.toString());
            assertEquals(
                    JSON.readTree(here.out()).path("digest"),
                    JSON.readTree(there.out()).path("digest"),
                    there + "\n" + here);
        }
    }

    @Test
    void rejectsAndConflictsAreListed() throws IOException {
        Path bad = Files.writeString(directory.resolve("bad.csv"), "1,one\ntwo,\u001b[31mred\n3,three\n3,drei\n4\n");
        Result imported = submit("bad", bad, "--job-id", "bad", "--max-rejects", "5", "--on-conflict", "capture");
        assertEquals(3, imported.exitCode(), imported.toString());
        assertTrue(imported.out().startsWith("imported 2 rows into bad"), imported.toString());
        assertTrue(imported.err().contains("sluice jobs rejects bad --server " + service.url()), imported.err());

        Result rejects = jobs("rejects", "bad");
        assertEquals(3, rejects.out().lines().count(), rejects.out());
        assertTrue(rejects.out().contains("bad.csv:2  id"), rejects.out());
        assertFalse(rejects.out().contains("\u001b"), rejects.out());
        Result first = jobs("rejects", "bad", "--limit", "1", "--json");
        assertEquals(1, first.out().lines().count(), first.out());
        assertEquals("syntax", JSON.readTree(first.out()).path("code").asText());
        assertTrue(jobs("rejects", "bad", "--limit", "1").out().endsWith("--json all\n"));

        Result conflicts = jobs("conflicts", "bad");
        assertEquals(2, conflicts.out().lines().count(), conflicts.out());
        assertTrue(conflicts.out().contains("bad.csv:4"), conflicts.out());
        assertTrue(conflicts.out().contains("bad.csv:3"), conflicts.out());
        assertEquals(3, jobs("watch", "bad", "--quiet").exitCode());
    }

    @Test
    void aFailedJobSaysWhy() throws IOException {
        Path bad = Files.writeString(directory.resolve("worse.csv"), "one,one\n");
        Result failed = submit("worse", bad, "--job-id", "worse");
        assertEquals(2, failed.exitCode(), failed.toString());
        assertTrue(failed.err().contains("sluice: job worse failed: "), failed.err());
        assertEquals("", failed.out());
        assertTrue(
                jobs("show", "worse").out().contains("  why       "),
                jobs("show", "worse").out());
    }

    @Test
    void jobsArePausedResumedAndCancelled() throws IOException {
        submitSlow("slow");
        Result paused = jobs("pause", "slow", "--wait");
        assertEquals(0, paused.exitCode(), paused.toString());
        assertTrue(paused.out().startsWith("job slow is paused"), paused.out());
        Result watched = jobs("watch", "slow");
        assertEquals(4, watched.exitCode(), watched.toString());
        assertTrue(watched.err().contains("sluice jobs resume slow --server " + service.url()), watched.err());

        Result resumed = jobs("resume", "slow", "--wait");
        assertEquals(0, resumed.exitCode(), resumed.toString());
        assertEquals("job slow is running\n", resumed.out());
        assertTrue(jobs("list", "--state", "running,pending").out().contains("slow"));

        Result cancelled = jobs("cancel", "slow", "--wait", "--json");
        assertEquals(0, cancelled.exitCode(), cancelled.toString());
        assertEquals("cancelled", JSON.readTree(cancelled.out()).path("state").asText());
        Result watchedAgain = jobs("watch", "slow");
        assertEquals(1, watchedAgain.exitCode());
        assertTrue(watchedAgain.err().contains("job slow was cancelled"), watchedAgain.err());

        Result late = jobs("pause", "slow");
        assertEquals(2, late.exitCode(), late.toString());
        assertTrue(late.err().contains("cannot pause import slow: its state is cancelled"), late.err());
    }

    /**
     * The command waited for a state that such a job never reaches. A file takes the place of the directory for
     * temporary files.
     */
    @Test
    @Timeout(60)
    void waitingEndsWhenAResumedJobPausesAgain() throws IOException {
        submitSlow("stuck");
        assertEquals(0, jobs("pause", "stuck", "--wait").exitCode());
        Path work = directory.resolve("store/work");
        Files.move(work, directory.resolve("moved"));
        Files.createFile(work);
        Result resumed = jobs("resume", "stuck", "--wait");
        Files.delete(work);
        Files.move(directory.resolve("moved"), work);
        assertEquals(1, resumed.exitCode(), resumed.toString());
        assertTrue(resumed.out().startsWith("job stuck is paused: "), resumed.out());
        assertEquals(0, jobs("cancel", "stuck", "--wait").exitCode());
    }

    @Test
    void watchingOutlivesTheService() throws Exception {
        submitSlow("restarted");
        ServiceClient client = new ServiceClient(ServiceAddress.of(service.url(), null, null));
        JobView first = client.job("restarted");
        Thread restarting = new Thread(() -> {
            service.restart();
            jobs("cancel", "restarted");
        });
        JobWatch watch = new JobWatch(client, first, job -> job.state().isFinal());
        restarting.start();
        assertEquals(JobState.CANCELLED, watch.follow().state());
        restarting.join();
    }

    @Test
    void twoImportsWithOneIdAreOne() throws IOException {
        assertEquals(0, submit("once", rows, "--job-id", "once").exitCode());
        Result again = submit("once", rows, "--job-id", "once");
        assertEquals(2, again.exitCode(), again.toString());
        assertTrue(
                again.err().contains("there is a job once already; watch it with 'sluice jobs watch once --server "),
                again.err());
    }

    @Test
    void aPlanIsNoJob() throws IOException {
        Result text = submit("planned", rows, "--dry-run");
        assertEquals(0, text.exitCode(), text.toString());
        assertTrue(text.out().startsWith("planned: 20,000 rows, "), text.out());
        JsonNode plan =
                JSON.readTree(submit("planned", rows, "--dry-run", "--json").out());
        assertEquals(ROWS, plan.path("rows").asInt());
        assertEquals("no jobs\n", jobs("list", "--table", "planned").out());
    }

    @Test
    void theTreeIsPrintedAndDrawn() throws IOException {
        assertEquals(0, submit("tree", rows, "--job-id", "tree").exitCode());
        assertEquals("""
                table t, column family t-100: 2 events; height 1 now, 2 at most; 1 file (0 in level 0), 900 B; \
                1.00 kB ingested, 900 B written
                note: a gap
                """, jobs("lsm", "tree").out());
        Path page = directory.resolve("tree.html");
        assertEquals(0, jobs("lsm", "tree", "--html", page.toString()).exitCode());
        String html = Files.readString(page);
        assertTrue(html.contains("node &lt;1&gt;") && html.contains("\"node \\u003c1>\""), "title and data");
    }

    @Test
    void allProblemsOfARefusalArePrinted() throws IOException {
        Result elsewhere = submit("elsewhere", Path.of("/etc/hostname"));
        assertEquals(2, elsewhere.exitCode(), elsewhere.toString());
        assertTrue(elsewhere.err().contains("/etc/hostname is not below an allowed directory"), elsewhere.err());
        Result labels = submit("elsewhere", rows, "--label", "a=" + "x".repeat(200), "--label", "b=" + "y".repeat(200));
        assertEquals(
                2, labels.err().lines().filter(line -> line.contains("labels/")).count(), labels.err());
        for (String command : List.of("show", "watch", "pause", "rejects", "lsm")) {
            Result unknown = jobs(command, "absent");
            assertEquals(2, unknown.exitCode(), unknown.toString());
            assertTrue(unknown.err().contains("there is no job absent; 'sluice jobs list'"), unknown.err());
        }
        assertEquals(2, jobs("show", "../service").exitCode());
    }

    @Test
    void aServiceThatIsNotThereIsNamed() {
        Result down = Commands.run("jobs", "list", "--server", "http://127.0.0.1:1");
        assertEquals(1, down.exitCode(), down.toString());
        assertTrue(down.err().contains("no import service answers at http://127.0.0.1:1"), down.err());
        assertTrue(down.err().contains("sluice serve"), down.err());
        assertFalse(down.err().contains("null"), down.err());
    }

    @Test
    void aTokenIsRequired() throws IOException {
        Path other = Files.createDirectories(directory.resolve("guarded"));
        String token = "0123456789abcdef0123456789abcdef";
        Path right = Files.writeString(directory.resolve("right"), token + "\n");
        Path wrong = Files.writeString(directory.resolve("wrong"), "another-token-of-thirty-two-chars");
        try (RunningService guarded = new RunningService(other, token)) {
            for (String file : List.of(right.toString(), wrong.toString(), "")) {
                List<String> line = new ArrayList<>(List.of("jobs", "list", "--server", guarded.url()));
                if (!file.isEmpty()) {
                    line.addAll(List.of("--token-file", file));
                }
                Result answer = Commands.run(line.toArray(new String[0]));
                assertEquals(file.equals(right.toString()) ? 0 : 2, answer.exitCode(), answer.toString());
                assertNotEquals(
                        file.equals(right.toString()), answer.err().contains("missing or wrong token"), answer.err());
            }
        }
    }
}
