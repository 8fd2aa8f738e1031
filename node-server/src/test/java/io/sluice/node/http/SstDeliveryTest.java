package io.sluice.node.http;

import static io.sluice.node.http.ServedNode.headers;
import static io.sluice.node.http.ServedNode.json;
import static io.sluice.node.http.ServedNode.kind;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.SstFile;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.api.wire.ImportStep;
import io.sluice.api.wire.PublishBody;
import io.sluice.model.schema.Table;
import io.sluice.node.NodeSettings;
import io.sluice.testing.LiveFiles;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SSTs on their way to a node: whole and once, or not at all and with a reason. */
class SstDeliveryTest {
    private static final UUID IMPORT = UUID.fromString("6f1c2c0e-5d0a-4c58-9a0b-0d5a9f3f1a01");
    private static final int ROWS = 3_000;

    private Path directory;
    private ServedNode served;

    @BeforeEach
    void open(@TempDir Path temporary) throws Exception {
        directory = temporary;
        served = ServedNode.open(directory);
    }

    @AfterEach
    void close() {
        served.close();
    }

    @ParameterizedTest
    @EnumSource(value = IngestTiming.class, names = "SHUFFLED", mode = EnumSource.Mode.EXCLUDE)
    void anImportOverHttpIsReadBackWhole(IngestTiming timing) throws Exception {
        Table table = served.begin(IMPORT, TestTables.accounts("accounts"), timing);
        List<SstFile> ssts = served.ssts(table, TestTables.accountRows(ROWS));
        for (SstFile sst : ssts) {
            assertEquals(201, served.put(sst, IMPORT).statusCode());
        }
        publish(table, ssts);

        List<String> rows = served.get(ApiPaths.rows("accounts")).body().lines().toList();
        assertEquals(ROWS, rows.size());
        assertEquals("[\"1\",\"owner-00001\",\"1.50\"]", rows.get(0));
        assertEquals(
                "[\"10\",null,\"3.50\"]",
                served.get(ApiPaths.rows("accounts") + "?key=10").body());
        assertEquals(404, served.get(ApiPaths.rows("accounts") + "?key=0").statusCode());
        assertEquals(
                "[\"2\",\"owner-00002\",\"2.50\"]\n",
                served.get(ApiPaths.rows("accounts") + "?index=by_owner&from=owner-00002&limit=1")
                        .body());
        assertEquals(
                served.node.digest("accounts").digest(),
                json(served.get(ApiPaths.digest("accounts"))).get("digest").asText());
        assertTrue(served.get(ApiPaths.LSM).body().endsWith("\n"));
        assertEquals(
                204,
                served.send("DELETE", ApiPaths.table("accounts"), BodyPublishers.noBody(), Map.of())
                        .statusCode());
        assertEquals(404, served.get(ApiPaths.table("accounts")).statusCode());
    }

    private void publish(Table table, List<SstFile> ssts) throws Exception {
        assertEquals(200, served.step(IMPORT, ImportStep.FINALIZE, "").statusCode());
        List<IndexChecksum> sums = TestSsts.sums(table, ssts);
        assertEquals(
                ServedNode.JSON.writeValueAsString(ChecksumBody.of(sums)),
                served.get(ApiPaths.present(IMPORT)).body());
        HttpResponse<String> published = served.step(
                IMPORT, ImportStep.PUBLISH, ServedNode.JSON.writeValueAsString(new PublishBody(ChecksumBody.of(sums))));
        assertEquals(204, published.statusCode(), published.body());
    }

    @ParameterizedTest
    @EnumSource(value = IngestTiming.class, names = "SHUFFLED", mode = EnumSource.Mode.EXCLUDE)
    void repeatedReorderedAndConcurrentDeliveriesCountOnce(IngestTiming timing) throws Exception {
        Table table = served.begin(IMPORT, TestTables.accounts("accounts"), timing);
        List<SstFile> ssts = served.ssts(table, TestTables.accountRows(ROWS));
        ExecutorService senders = Executors.newFixedThreadPool(8);
        try {
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            for (int round = 0; round < 4; round++) {
                for (int i = ssts.size() - 1; i >= 0; i--) {
                    SstFile sst = ssts.get(i);
                    answers.add(CompletableFuture.supplyAsync(() -> status(sst), senders));
                }
            }
            for (CompletableFuture<Integer> answer : answers) {
                int status = answer.join();
                assertTrue(status == 200 || status == 201, "status " + status);
            }
        } finally {
            senders.shutdown();
        }
        for (SstFile sst : ssts) {
            assertEquals(200, served.put(sst, IMPORT).statusCode());
        }
        publish(table, ssts);
        assertEquals(ROWS, served.node.digest("accounts").rows());
    }

    private int status(SstFile sst) {
        try {
            return served.put(sst, IMPORT).statusCode();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aBodyUnlikeItsHeadersIsRefusedAndMayBeResent() throws Exception {
        Table table = served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.AT_END);
        SstFile sst = served.ssts(table, TestTables.accountRows(100)).get(0);
        byte[] body = Files.readAllBytes(sst.path());

        assertEquals("damaged", refused(422, sst, body, ApiHeaders.CRC32C, "00000000"));
        assertEquals("damaged", refused(422, sst, Arrays.copyOf(body, body.length - 1), ApiHeaders.INDEX, "1"));
        assertEquals("damaged", refused(422, sst, body, ApiHeaders.KV_COUNT, "99"));
        assertEquals("damaged", refused(422, sst, body, ApiHeaders.LARGEST_KEY, "ff"));
        assertEquals("bad-request", refused(400, sst, body, ApiHeaders.SMALLEST_KEY, "ff"));
        assertEquals("bad-request", refused(400, sst, body, ApiHeaders.SMALLEST_KEY, "xyz"));
        assertEquals("bad-request", refused(400, sst, body, ApiHeaders.IMPORT, "../../etc/passwd"));
        assertEquals(
                "unknown-import",
                refused(404, sst, body, ApiHeaders.IMPORT, UUID.randomUUID().toString()));
        assertEquals("bad-request", refused(400, sst, body, ApiHeaders.KV_SUM, "-1"));
        assertNothingIsStaged();

        assertEquals(201, served.put(sst, IMPORT).statusCode());
    }

    private String refused(int status, SstFile sst, byte[] body, String header, String value) throws Exception {
        Map<String, String> headers = new HashMap<>(headers(sst, IMPORT, 1));
        headers.put(header, value);
        HttpResponse<String> answer = served.put(sst.id(), body, headers);
        assertEquals(status, answer.statusCode(), header + ": " + answer.body());
        assertEquals(
                "application/problem+json",
                answer.headers().firstValue("content-type").orElseThrow());
        assertFalse(answer.body().contains(directory.toString()), answer.body());
        assertFalse(answer.body().contains("Exception"), answer.body());
        return kind(answer);
    }

    private void assertNothingIsStaged() throws Exception {
        assertEquals(List.of(), LiveFiles.below(directory.resolve("store/staging")));
        assertEquals(0, served.node.status().load().stagedBytes());
    }

    @Test
    void pathsThatAreNoUuidsAreRefused() throws Exception {
        Map<String, String> headers = Map.of("x", "y");
        for (String path :
                List.of("/v1/ssts/1", "/v1/ssts/..%2f..%2fx", "/v1/ssts/6f1c2c0e-5d0a-4c58-9a0b-0d5a9f3f1a0")) {
            HttpResponse<String> answer = served.send("PUT", path, BodyPublishers.ofString("x"), headers);
            assertTrue(answer.statusCode() == 400 || answer.statusCode() == 404, path + ": " + answer.statusCode());
        }
    }

    @Test
    void aLaterAttemptFencesTheEarlierOne() throws Exception {
        Table table = served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL);
        SstFile sst = served.ssts(table, TestTables.accountRows(100)).get(0);
        served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL);

        HttpResponse<String> stale = served.put(sst, IMPORT);
        assertEquals(409, stale.statusCode());
        assertEquals("fenced", kind(stale));
        assertEquals("fenced", kind(served.step(IMPORT, ImportStep.FINALIZE, "")));
        assertEquals(
                201,
                served.put(sst.id(), Files.readAllBytes(sst.path()), headers(sst, IMPORT, 2))
                        .statusCode());
    }

    @Test
    void anSstForAnOldDirectoryGetsTheNewOne() throws Exception {
        Table table = served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL);
        SstFile sst = served.ssts(table, TestTables.accountRows(100)).get(0);
        String directoryBody = "{\"epoch\":7,\"ranges\":[{\"start\":\"\",\"nodes\":[\""
                + served.node.status().id() + "\"]}],\"replicas\":1}";
        HttpResponse<String> assigned = served.send(
                "PUT",
                ApiPaths.directory(IMPORT),
                BodyPublishers.ofString(directoryBody),
                Map.of(ApiHeaders.ATTEMPT, "1"));
        assertEquals(204, assigned.statusCode(), assigned.body());

        HttpResponse<String> moved = served.put(sst, IMPORT);
        assertEquals(409, moved.statusCode());
        assertEquals("moved", kind(moved));
        assertEquals(ServedNode.JSON.readTree(directoryBody), json(moved).get("directory"));

        Map<String, String> headers = new HashMap<>(headers(sst, IMPORT, 1));
        headers.put(ApiHeaders.EPOCH, "7");
        assertEquals(
                201,
                served.put(sst.id(), Files.readAllBytes(sst.path()), headers).statusCode());
    }

    @Test
    void aSecondImportOfTheTableIsAConflict() throws Exception {
        served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.AT_END);
        HttpResponse<String> second = served.post(
                ApiPaths.IMPORTS,
                "{\"importId\":\"" + UUID.randomUUID() + "\",\"ddl\":\"CREATE TABLE accounts (id INT8 PRIMARY KEY)\"}",
                Map.of());
        assertEquals(409, second.statusCode(), second.body());
        assertEquals("conflict", kind(second));
    }

    @Test
    void bodiesThatMakeNoSenseSayWhatIsWrong() throws Exception {
        assertTrue(served.post(ApiPaths.IMPORTS, "{", Map.of()).body().contains("line 1"));
        assertTrue(served.post(ApiPaths.IMPORTS, "{\"imprtId\":1}", Map.of())
                .body()
                .contains("imprtId"));
        assertTrue(served.post(ApiPaths.IMPORTS, "{}", Map.of()).body().contains("importId is missing"));
        assertTrue(served.post(ApiPaths.IMPORTS, "{\"timing\":\"NEVER\"}", Map.of())
                .body()
                .contains("timing"));
    }

    @Test
    void checkpointRecordsAreReturnedUnchanged() throws Exception {
        served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.AT_END);
        for (String value : List.of("first", "second")) {
            HttpResponse<String> kept = served.send(
                    "PUT",
                    ApiPaths.checkpoint(IMPORT, "a key/of mine"),
                    BodyPublishers.ofString(value),
                    Map.of(ApiHeaders.ATTEMPT, "1"));
            assertEquals(204, kept.statusCode(), kept.body());
        }
        assertEquals(
                "first",
                new String(
                        json(served.get(ApiPaths.checkpoints(IMPORT)))
                                .get("a key/of mine")
                                .binaryValue(),
                        java.nio.charset.StandardCharsets.UTF_8));
    }

    @Test
    void undoingTwiceIsUndoneStill() throws Exception {
        Table table = served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL);
        SstFile sst = served.ssts(table, TestTables.accountRows(100)).get(0);
        assertEquals(201, served.put(sst, IMPORT).statusCode());
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> undone = served.send(
                    "DELETE", ApiPaths.importOf(IMPORT), BodyPublishers.noBody(), Map.of(ApiHeaders.ATTEMPT, "1"));
            assertEquals(204, undone.statusCode(), undone.body());
        }
        assertEquals("unknown-import", kind(served.put(sst, IMPORT)));
        assertEquals(404, served.get(ApiPaths.importOf(IMPORT)).statusCode());
    }

    @Test
    void http2CarriesTheSame() throws Exception {
        served.close();
        try (ServedNode other = new ServedNode(
                directory.resolve("h2"),
                NodeSettings.defaults(),
                NodeLimits.defaults(),
                null,
                HttpClient.Version.HTTP_2)) {
            Table table = other.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.AT_END);
            List<SstFile> ssts = other.ssts(table, TestTables.accountRows(ROWS));
            for (SstFile sst : ssts) {
                HttpResponse<String> answer = other.put(sst, IMPORT);
                assertEquals(201, answer.statusCode(), answer.body());
                assertEquals(HttpClient.Version.HTTP_2, answer.version());
            }
        }
    }
}
