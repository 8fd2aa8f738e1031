package io.sluice.it.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.server.ServiceConfig;
import io.sluice.it.support.Contract;
import io.sluice.it.support.RunningService;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.ServedNode;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.Stock;
import io.sluice.model.schema.Ddl;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The service's API by a service of this process; every answer is held to openapi.yaml by {@link ServiceClient}. */
@SuppressWarnings("NullAway.Init") // made before all tests
class ServiceApiTest {
    private static final long SEED = Seeds.of(ServiceApiTest.class);
    private static final int ROWS = 2_000;

    @TempDir
    static Path directory;

    private static RunningService running;
    private static ServiceClient client;
    private static Path input;

    @BeforeAll
    static void start() {
        running = RunningService.start(directory, 2, 1_000);
        client = running.client();
        input = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(ROWS, SEED));
    }

    @AfterAll
    static void stop() {
        running.close();
    }

    private static String schema(String table) {
        return Stock.SQL.replace("stock", table);
    }

    /** The last sample was taken without the node, and said that its tree had no files. */
    @Test
    void heightsAndFilesOfTheTreeAreKnownToTheEnd() throws IOException {
        client.create(ServiceClient.spec("sampled", schema("sampled"), input)
                .put("mode", "direct")
                .put("bytesPerSecond", Files.size(input) / 4));
        client.finished("sampled");
        JsonNode files =
                ServiceClient.json(client.get("/v1/imports/sampled/samples")).path("files");
        assertTrue(files.size() > 2, files.toString());
        long last = files.get(files.size() - 1).asLong();
        assertTrue(last > 0 && last >= files.get(files.size() - 2).asLong(), files.toString());
    }

    @Test
    void anImportIsCreatedWatchedAndFound() {
        client.create(ServiceClient.spec("whole", schema("whole"), input));
        JsonNode job = client.finished("whole");
        assertEquals("succeeded", job.path("state").asText(), job.toString());
        assertEquals(ROWS, job.at("/report/rowsImported").asInt());
        double steps = 0;
        for (JsonNode step : job.at("/report/seconds")) {
            steps += step.asDouble();
        }
        // The members are all steps and their total.
        assertEquals(2 * job.at("/report/seconds/total").asDouble(), steps, 1e-6, job.toString());
        assertEquals(1.0, job.at("/progress/fraction").asDouble());
        assertEquals(
                running.node().digest("whole").digest(),
                job.at("/report/digest").asText());
        assertEquals(
                1,
                ServiceClient.json(client.get("/v1/imports/whole/files"))
                        .path("total")
                        .asInt());
        assertEquals(
                "ok",
                ServiceClient.json(client.get("/v1/imports/whole/verification"))
                        .path("state")
                        .asText());
        client.get("/v1/imports/whole/samples");
        assertEquals(404, client.get("/v1/imports/whole/lsm").statusCode());
        assertEquals(404, client.get("/v1/imports/nobody").statusCode());
        String etag =
                client.get("/v1/imports/whole").headers().firstValue("etag").orElseThrow();
        HttpResponse<String> same =
                client.send(client.request("/v1/imports/whole").header("If-None-Match", etag));
        assertEquals(304, same.statusCode());
    }

    @Test
    void tablesAreReadAndChangedBesideTheJobs() throws Exception {
        client.create(ServiceClient.spec("served", schema("served"), input));
        long rows = client.finished("served").at("/report/rowsImported").asLong();
        assertTrue(client.get("/v1/tables").body().contains("\"served\""));
        assertEquals(
                rows,
                ServiceClient.json(client.get("/v1/tables/served")).path("rows").asLong());
        assertEquals(404, client.get("/v1/tables/nothing").statusCode());
        JsonNode table = ServiceClient.json(client.get("/v1/tables/served"));
        assertEquals(
                "served",
                Ddl.parse(table.path("ddl").asText(), "the answer").get(0).name());
        assertTrue(table.path("bytes").asLong() > rows, table.toString());
        assertEquals(404, client.get("/v1/tables/served/lsm").statusCode());
        List<String> lines =
                client.get("/v1/tables/served/rows?limit=2").body().lines().toList();
        assertEquals(2, lines.size(), lines.toString());
        client.get("/v1/tables/served/tuning");
        assertEquals(
                rows,
                ServiceClient.json(client.get("/v1/tables/served/digest"))
                        .at("/indexes/0/count")
                        .asLong());
        JsonNode counted = ServiceClient.json(
                client.post("/v1/sql", "{\"statements\":[\"SELECT count(*) FROM served\",\"SELECT 'a\"]}"));
        assertEquals(rows, counted.at("/results/0/rows/0/0").asLong(), counted.toString());
        assertEquals("syntax", counted.at("/results/1/error/code").asText(), counted.toString());
        JsonNode operations = ServiceClient.json(client.get("/v1/operations"));
        assertEquals(
                "GET /v1/tables/served/digest", operations.at("/0/question").asText());
        client.get("/v1/operations/" + operations.at("/0/id").asText());
        HttpResponse<String> dropped =
                client.send(client.request("/v1/tables/served").DELETE());
        assertEquals(204, dropped.statusCode(), dropped.body());
        assertEquals(404, client.get("/v1/tables/served/rows?key=1").statusCode());
        String audit = Files.readString(directory.resolve("state/audit.jsonl"));
        assertTrue(audit.contains("\"action\":\"DELETE /v1/tables/served\",\"status\":204"), audit);
        assertTrue(audit.contains("\"action\":\"POST /v1/sql\",\"status\":200"), audit);
    }

    @Test
    void alertsAreAboutMetricsThatThereAre() throws IOException {
        String metrics = client.get("/metrics").body();
        assertTrue(named("alerts.yaml", metrics) >= 7);
        assertTrue(metrics.contains("process_uptime_seconds"), metrics);
    }

    /** Some of a service's metrics begin with the first request and the first job that has ended. */
    @Test
    void dashboardDrawsMetricsThatThereAre() throws Exception {
        client.create(ServiceClient.spec("drawn", schema("drawn"), input));
        assertEquals("succeeded", client.finished("drawn").path("state").asText());
        try (ServedNode node = ServedNode.open(directory.resolve("node"))) {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(node.url() + "/metrics")).build();
            String ofNode = HttpClient.newHttpClient()
                    .send(request, HttpResponse.BodyHandlers.ofString())
                    .body();
            assertTrue(named("grafana-dashboard.json", client.get("/metrics").body() + ofNode) >= 18);
        }
    }

    /** Counts the metrics that a document names, all of which are among these. */
    private static int named(String document, String metrics) throws IOException {
        Matcher named = Pattern.compile("(?:sluice|jvm|process)_\\w+")
                .matcher(Files.readString(Path.of("..", "docs", "reference", document)));
        int count = 0;
        while (named.find()) {
            assertTrue(metrics.contains("\n" + named.group()), named.group() + " is in no answer:\n" + metrics);
            count++;
        }
        return count;
    }

    @Test
    void nodesAnswerForThemselves() {
        JsonNode nodes = ServiceClient.json(client.get("/v1/nodes"));
        assertEquals(running.node().status().id(), nodes.at("/0/id").asText(), nodes.toString());
        assertEquals("embedded", nodes.at("/0/role").asText());
        assertTrue(nodes.at("/0/diskFreeBytes").asLong() > 0, nodes.toString());
    }

    @Test
    void directoriesBelowTheRootsAreListedAndNoOthers() throws IOException {
        Path below = Files.createDirectories(directory.resolve("browsed/inner"));
        Files.writeString(below.resolveSibling("rows.csv"), "1\n");
        Files.createSymbolicLink(below.resolveSibling("out"), Path.of("/etc"));
        JsonNode roots = ServiceClient.json(client.get("/v1/files"));
        assertEquals(
                directory.toRealPath().toString(), roots.at("/entries/0/path").asText());
        JsonNode listed = ServiceClient.json(client.get("/v1/files?path=" + below.getParent()));
        assertEquals(2, listed.path("entries").size(), listed.toString());
        assertEquals("inner", listed.at("/entries/0/name").asText());
        assertEquals(2, listed.at("/entries/1/bytes").asInt(), listed.toString());
        assertEquals(directory.toRealPath().toString(), listed.path("parent").asText());
        assertTrue(ServiceClient.json(client.get("/v1/files?path=" + directory))
                .path("parent")
                .isMissingNode());
        for (String path : List.of("/etc", below + "/../../..", below.getParent() + "/out", below + "/nothing", ".")) {
            HttpResponse<String> answer = client.get("/v1/files?path=" + path);
            assertEquals(400, answer.statusCode(), path + ": " + answer.body());
        }
    }

    @Test
    void previewProposesASchemaAndShowsWhatCannotStart() throws IOException {
        Path named = Files.writeString(directory.resolve("named.csv"), "id;city\n1;Rome\n2;\n");
        ObjectNode body = ServiceClient.JSON.createObjectNode();
        body.putArray("inputs").add(named.toString());
        JsonNode proposed = ServiceClient.json(client.post("/v1/preview", body.toString()));
        assertEquals(";", proposed.at("/format/delimiter").asText(), proposed.toString());
        assertTrue(proposed.at("/format/header").asBoolean()
                && proposed.path("inferred").asBoolean());
        assertEquals(
                "[{\"name\":\"id\",\"type\":\"INT8\"},{\"name\":\"city\",\"type\":\"STRING\"}]",
                proposed.path("columns").toString());
        assertEquals("[[\"1\",\"Rome\"],[\"2\",null]]", proposed.path("rows").toString());
        assertTrue(proposed.path("problem").isMissingNode(), proposed.toString());
        body.put("schema", "CREATE TABLE named (id INT8 PRIMARY KEY, city STRING)");
        JsonNode wrong = ServiceClient.json(client.post("/v1/preview", body.toString()));
        assertEquals(0, wrong.path("good").asInt(), wrong.toString());
        assertEquals("field_count", wrong.at("/rejects/0/code").asText());
        assertTrue(wrong.path("problem").asText().contains("--delimiter ';'"), wrong.toString());
        body.putArray("inputs").add("/etc/passwd");
        assertEquals(400, client.post("/v1/preview", body.toString()).statusCode());
    }

    @Test
    void failuresHaveTheirKinds() throws IOException {
        Path bad = Files.writeString(directory.resolve("kinds.csv"), "1,x\n2,5\n2,6\n");
        String table = "CREATE TABLE kinds (id INT8 PRIMARY KEY, n INT4)";
        Map<String, ObjectNode> specs = new TreeMap<>();
        specs.put("too_many_rejects", ServiceClient.spec("kind-rejects", table, bad));
        specs.put("conflict", ServiceClient.spec("kind-conflict", table, bad).put("maxRejects", "1"));
        specs.put("format", ServiceClient.spec("kind-format", "CREATE TABLE kinds (a DATE PRIMARY KEY, b INT2)", bad));
        specs.put(
                "no_table",
                ServiceClient.spec("kind-append", schema("kinds2"), input).put("append", true));
        specs.put("invalid", ServiceClient.spec("kind-missing", table, directory.resolve("missing.csv")));
        client.create(ServiceClient.spec("kind-first", schema("kindly"), input));
        assertEquals("succeeded", client.finished("kind-first").path("state").asText());
        specs.put("table_exists", ServiceClient.spec("kind-again", schema("kindly"), input));
        for (Map.Entry<String, ObjectNode> each : specs.entrySet()) {
            client.create(each.getValue());
            JsonNode job = client.finished(each.getValue().path("jobId").asText());
            assertEquals(each.getKey(), job.path("failure").asText(), job.toString());
        }
    }

    @Test
    void secondImportIntoATableIsRefusedAndNamesTheFirst() {
        client.create(ServiceClient.spec("first", schema("wanted"), input)
                .put("mode", "direct")
                .put("bytesPerSecond", 10_000));
        client.await("first", "begun", job -> job.path("phase").asText().equals("import"));
        client.create(ServiceClient.spec("second", schema("wanted"), input));
        JsonNode second = client.finished("second");
        assertEquals("failed", second.path("state").asText(), second.toString());
        assertTrue(second.path("message").asText().contains("by job first"), second.toString());
        client.act("first", "cancel");
        assertEquals("cancelled", client.finished("first").path("state").asText());
    }

    @Test
    void routesAreThoseOfTheDocument() {
        Set<String> served = new TreeSet<>();
        for (ServiceConfig route : running.service().server().routes()) {
            String path = route.route().patternString().replaceAll(":([a-z]+)", "{$1}");
            route.route().methods().forEach(method -> served.add(method + " " + path));
        }
        Set<String> documented = Contract.read().operations();
        documented.removeIf(operation -> operation.contains("}:"));
        served.removeIf(route -> route.contains("/console/") || route.equals("GET /") || route.contains("HEAD"));
        served.remove("POST /v1/imports/{id}");
        assertEquals(documented, served);
    }

    @Test
    void documentHasAValueForEachMember() {
        assertEquals(List.of(), Contract.read().membersWithoutValue());
        assertEquals(Set.of(), Contract.read().operationsOfNoGroup());
        assertEquals(Set.of(), Contract.read().operationsWithout("503"), "all can be busy");
    }

    @Test
    void requestErrorsNameTheirMembers() {
        ObjectNode spec = ServiceClient.spec("wrong id!", "CREATE TABL x", Path.of("/etc/passwd"));
        spec.put("mode", "fast")
                .put("maxRejects", "many")
                .put("colour", "red")
                .putObject("format")
                .put("delimiter", 5);
        HttpResponse<String> answer = client.post("/v1/imports", spec.toString());
        assertEquals(400, answer.statusCode());
        List<String> fields = new ArrayList<>();
        ServiceClient.json(answer)
                .path("errors")
                .forEach(error -> fields.add(error.path("field").asText()));
        assertEquals(
                List.of("/jobId", "/schema", "/format/delimiter", "/mode", "/maxRejects", "/colour"),
                fields,
                answer.body());
    }

    @Test
    void nothingOutsideTheRootsIsRead() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link.csv"), Path.of("/etc/passwd"));
        for (String path : List.of(
                "/etc/passwd",
                directory + "/../../../etc/passwd",
                directory + "/../*",
                "stock.csv",
                "-",
                "file:///etc/passwd",
                "http://127.0.0.1:1/x",
                "s3://bucket/x",
                link.toString())) {
            ObjectNode spec = ServiceClient.spec("outside", schema("outside"));
            spec.putArray("inputs").add(path);
            HttpResponse<String> answer = client.post("/v1/imports", spec.toString());
            assertEquals(400, answer.statusCode(), path + ": " + answer.body());
            assertFalse(answer.body().contains("root:"), path);
        }
    }

    @Test
    void credentialsAreShownNowhere() throws Exception {
        ObjectNode spec = ServiceClient.spec("secret", schema("secret"));
        spec.putArray("inputs").add("http://user:hunter2@127.0.0.1:1/x.csv?signature=hunter2");
        Path other = Files.createDirectories(directory.resolve("secret"));
        try (RunningService open = RunningService.startReading(other, "http://127.0.0.1:1/")) {
            open.client().create(spec);
            JsonNode job = open.client().finished("secret");
            assertEquals("failed", job.path("state").asText());
            assertFalse(job.toString().contains("hunter2"), job.toString());
            assertTrue(job.at("/spec/inputs/0").asText().startsWith("http://127.0.0.1:1/x.csv"), job.toString());
            assertFalse(Files.readString(other.resolve("state/audit.jsonl")).contains("hunter2"));
        }
    }

    @Test
    void rejectsAndConflictsAreListedInPages() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 250; i++) {
            text.append(i % 10 == 3 ? "x,bad\n" : Stock.line(i) + "\n");
        }
        // The same key as row 0 and another note.
        text.append(Stock.line(0).replace("a note", "b note")).append('\n');
        Path bad = Files.writeString(directory.resolve("bad.csv"), text);
        ObjectNode spec = ServiceClient.spec("rejects", schema("rejects"), bad);
        spec.put("maxRejects", "20%").put("onConflict", "capture");
        client.create(spec);
        JsonNode job = client.finished("rejects");
        assertEquals("succeeded_with_rejects", job.path("state").asText(), job.toString());
        assertEquals(25, job.at("/progress/rowsRejected").asInt());
        List<Integer> lines = new ArrayList<>();
        String token = "";
        do {
            JsonNode page = ServiceClient.json(client.get("/v1/imports/rejects/rejects?pageSize=10" + token));
            page.path("rejects").forEach(reject -> lines.add(reject.path("line").asInt()));
            token = page.has("nextPageToken")
                    ? "&pageToken=" + page.path("nextPageToken").asText()
                    : "";
        } while (!token.isEmpty());
        assertEquals(25, lines.size());
        JsonNode groups = ServiceClient.json(client.get("/v1/imports/rejects/rejects/groups"));
        assertEquals(1, groups.path("groups").size(), groups.toString());
        assertEquals("field_count", groups.at("/groups/0/code").asText());
        assertEquals(25, groups.at("/groups/0/count").asInt());
        JsonNode same = ServiceClient.json(client.get("/v1/imports/rejects/rejects?code=field_count&column="));
        assertEquals("x,bad", same.at("/rejects/0/record").asText(), same.toString());
        assertEquals(
                0,
                ServiceClient.json(client.get("/v1/imports/rejects/rejects?code=syntax"))
                        .path("rejects")
                        .size());
        assertEquals(4, lines.get(0));
        JsonNode conflicts =
                ServiceClient.json(client.get("/v1/imports/rejects/conflicts")).path("rejects");
        assertEquals(1, conflicts.size(), conflicts.toString());
        assertEquals(251, conflicts.at("/0/line").asInt());
        assertEquals(1, conflicts.at("/0/other/line").asInt());
    }

    @Test
    void aPlanIsMadeWithoutCreatingAnything() throws IOException {
        ObjectNode spec = ServiceClient.spec("planned", schema("planned"), input);
        HttpResponse<String> answer = client.post("/v1/imports?dryRun=true", spec.toString());
        assertEquals(200, answer.statusCode(), answer.body());
        assertEquals(ROWS, ServiceClient.json(answer).path("rows").asInt());
        assertEquals(404, client.get("/v1/imports/planned").statusCode());
        assertEquals(
                400, client.post("/v1/imports?dryRun=maybe", spec.toString()).statusCode());
        String audit = Files.readString(directory.resolve("state/audit.jsonl"));
        assertFalse(audit.contains("\"action\":\"create\",\"status\":202"), audit);
    }

    private static int listed(String filter) {
        return ServiceClient.json(client.get("/v1/imports?" + filter))
                .path("imports")
                .size();
    }

    @Test
    void listsHavePagesAndFilters() {
        for (int i = 0; i < 5; i++) {
            ObjectNode spec = ServiceClient.spec("list-" + i, schema("list" + i), input);
            spec.putObject("labels").put("batch", "list").put("n", Integer.toString(i));
            client.create(spec);
        }
        for (int i = 0; i < 5; i++) {
            client.finished("list-" + i);
        }
        List<String> ids = new ArrayList<>();
        String token = "";
        do {
            JsonNode page = ServiceClient.json(client.get("/v1/imports?pageSize=2&label=batch%3Dlist" + token));
            assertTrue(page.path("imports").size() <= 2);
            page.path("imports").forEach(job -> ids.add(job.path("jobId").asText()));
            token = page.has("nextPageToken")
                    ? "&pageToken=" + page.path("nextPageToken").asText()
                    : "";
        } while (!token.isEmpty());
        assertEquals(List.of("list-4", "list-3", "list-2", "list-1", "list-0"), ids);
        assertEquals(1, listed("label=n%3D3"));
        assertEquals(1, listed("table=list2"));
        assertEquals(5, listed("search=LIST-"));
        assertEquals(0, listed("state=running,paused&label=batch"));
        assertEquals(400, client.get("/v1/imports?state=asleep").statusCode());
        assertEquals(400, client.get("/v1/imports?pageSize=0").statusCode());
        assertEquals(400, client.get("/v1/imports?pageToken=x").statusCode());
    }

    @Test
    void eventsFollowAJobToItsEnd() throws Exception {
        ObjectNode spec = ServiceClient.spec("watched", schema("watched"), input);
        spec.put("bytesPerSecond", 150_000);
        client.create(spec);
        List<String> states = new ArrayList<>();
        double fraction = 0;
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(running.service().url() + "/v1/imports/watched/events"))
                .build();
        try (BufferedReader events = new BufferedReader(new InputStreamReader(
                HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.ofInputStream())
                        .body(),
                StandardCharsets.UTF_8))) {
            String event = "";
            for (String line = events.readLine(); line != null; line = events.readLine()) {
                if (line.startsWith("event: ")) {
                    event = line.substring("event: ".length());
                } else if (line.startsWith("data: ")) {
                    JsonNode job = ServiceClient.JSON.readTree(line.substring("data: ".length()));
                    states.add(event + " " + job.path("state").asText());
                    assertTrue(job.at("/progress/fraction").asDouble() >= fraction, job.toString());
                    fraction = job.at("/progress/fraction").asDouble();
                }
            }
        }
        assertEquals(List.of("import succeeded", "end succeeded"), states.subList(states.size() - 2, states.size()));
        assertTrue(states.contains("import running"), states.toString());
    }

    /** A hundred small jobs at once, with ids and keys that come several times. */
    @Test
    void repeatedRequestIsExecutedOnce() throws Exception {
        Random random = new Random(SEED);
        List<ObjectNode> specs = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            // 60 jobs; the others repeat one of them, by id, or by key, or by key with another body.
            int n = i < 60 ? i : random.nextInt(60);
            ObjectNode spec = ServiceClient.spec("many-" + n, schema("many" + n), input);
            if (i >= 60 && i % 3 == 0) {
                spec.put("maxRejects", "1");
            }
            specs.add(spec);
            keys.add(i < 60 || i % 3 != 1 ? "key-" + n : "other-key-" + i);
        }
        Map<Integer, Integer> statuses = new TreeMap<>();
        Map<String, Integer> created = new ConcurrentHashMap<>();
        ExecutorService clients = Executors.newFixedThreadPool(8);
        try {
            List<Future<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < specs.size(); i++) {
                String body = specs.get(i).toString();
                String key = keys.get(i);
                String id = specs.get(i).path("jobId").asText();
                answers.add(clients.submit(() -> {
                    HttpResponse<String> answer = client.post("/v1/imports", body, "Idempotency-Key", key);
                    if (answer.statusCode() == 202) {
                        created.merge(id, 1, Integer::sum);
                    }
                    return answer.statusCode();
                }));
            }
            for (Future<Integer> answer : answers) {
                statuses.merge(answer.get(), 1, Integer::sum);
            }
        } finally {
            clients.shutdown();
        }
        assertEquals(60, created.size(), "seed " + SEED + ": " + statuses);
        assertTrue(Set.of(202, 409, 422).containsAll(statuses.keySet()), "seed " + SEED + ": " + statuses);
        for (String id : created.keySet()) {
            JsonNode job = client.finished(id);
            assertEquals("succeeded", job.path("state").asText(), job.toString());
            assertEquals(1, job.path("attempt").asInt(), job.toString());
            assertEquals(
                    ROWS,
                    Objects.requireNonNull(
                                    running.node().table(job.path("table").asText()))
                            .rows());
        }
        ObjectNode again = specs.get(0).deepCopy();
        assertEquals(
                202,
                client.post("/v1/imports", specs.get(0).toString(), "Idempotency-Key", "key-0")
                        .statusCode());
        again.put("verify", "full");
        assertEquals(
                422,
                client.post("/v1/imports", again.toString(), "Idempotency-Key", "key-0")
                        .statusCode());
        assertEquals(409, client.post("/v1/imports", again.toString()).statusCode());
        assertEquals(
                415,
                client.send(client.request("/v1/imports").POST(HttpRequest.BodyPublishers.ofString(again.toString())))
                        .statusCode());
    }

    @Test
    void fullQueueReportsWhenToRetry() throws Exception {
        Path other = Files.createDirectories(directory.resolve("full"));
        Path rows = Stock.write(other.resolve("stock.csv"), Stock.numbers(ROWS));
        try (RunningService full = RunningService.start(other, 1, 2)) {
            ServiceClient small = full.client();
            ObjectNode slow = ServiceClient.spec("slow", schema("slow"), rows);
            small.create(slow.put("bytesPerSecond", 1_000));
            small.await("slow", "running");
            small.create(ServiceClient.spec("one", schema("one"), rows));
            small.create(ServiceClient.spec("two", schema("two"), rows));
            HttpResponse<String> third = small.post(
                    "/v1/imports",
                    ServiceClient.spec("three", schema("three"), rows).toString());
            assertEquals(429, third.statusCode());
            assertTrue(third.headers().firstValue("retry-after").isPresent());
            assertEquals(0, small.job("one").path("queuePosition").asInt());
            assertEquals(1, small.job("two").path("queuePosition").asInt());
            assertEquals(202, small.act("slow", "cancel"));
            assertEquals("succeeded", small.finished("two").path("state").asText());
            assertEquals("cancelled", small.finished("slow").path("state").asText());
            assertNull(full.node().table("slow"));
            try (Stream<Path> left = Files.list(full.node().workDirectory())) {
                assertEquals(List.of(), left.toList());
            }
        }
    }
}
