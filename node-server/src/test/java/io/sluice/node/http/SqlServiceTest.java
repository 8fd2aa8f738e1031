package io.sluice.node.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.wire.ApiPaths;
import io.sluice.model.schema.Ddl;
import io.sluice.testing.TestSsts;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statements by HTTP: sessions, results, errors. */
class SqlServiceTest {
    private static HttpResponse<String> post(ServedNode served, String body) throws Exception {
        return served.post(ApiPaths.SQL, body, Map.of("content-type", "application/json"));
    }

    private static ServedNode served(Path directory) throws Exception {
        ServedNode served = ServedNode.open(directory);
        var table = Ddl.parse("CREATE TABLE t (id INT PRIMARY KEY, s STRING)", "test")
                .get(0);
        try (ImportSession session = served.node.beginImport(ImportRequest.of(table, IngestTiming.AT_END))) {
            session.finalizeIngest();
            session.publish(TestSsts.sums(session.table(), List.of()));
        }
        return served;
    }

    @Test
    void statementsAndTheirResults(@TempDir Path directory) throws Exception {
        try (ServedNode served = served(directory)) {
            HttpResponse<String> answer = post(served, """
                    {"statements": ["INSERT INTO t VALUES (1, 'a'), (2, NULL); SELECT * FROM t", "BEGIN",
                        "INSERT INTO t VALUES (1, 'b')", "COMMIT"]}""");
            assertEquals(200, answer.statusCode(), answer.body());
            JsonNode body = ServedNode.json(answer);
            assertTrue(body.get("session").isNull());
            JsonNode results = body.get("results");
            assertEquals("{\"count\":2,\"cascaded\":{}}", results.get(0).toString());
            assertEquals(
                    "{\"columns\":[\"id\",\"s\"],\"rows\":[[\"1\",\"a\"],[\"2\",null]]}",
                    results.get(1).toString());
            assertEquals("{\"done\":\"begin\"}", results.get(2).toString());
            assertEquals("unique", results.get(3).get("error").get("code").asText());
            assertEquals(4, results.size());
        }
    }

    @Test
    void aSessionOutlivesARequest(@TempDir Path directory) throws Exception {
        try (ServedNode served = served(directory)) {
            JsonNode begun = ServedNode.json(
                    post(served, "{\"session\": \"new\", \"statements\": [\"BEGIN; INSERT INTO t VALUES (7, 'x')\"]}"));
            String session = begun.get("session").asText();
            assertTrue(begun.get("inTransaction").asBoolean());
            String of = "{\"session\": \"" + session + "\", \"statements\": [";
            String other = "{\"statements\": [\"SELECT count(*) FROM t\"]}";
            assertTrue(post(served, other).body().contains("[[\"0\"]]"));
            assertTrue(post(served, of + "\"SELECT s FROM t WHERE id = 7\"]}")
                    .body()
                    .contains("[[\"x\"]]"));
            String wrong = post(served, of + "\"SELEC 1\"], \"line\": 7, \"column\": 3}")
                    .body();
            assertTrue(wrong.contains("\"code\":\"syntax\"") && wrong.contains("line 7, column 3"), wrong);
            assertTrue(post(served, of + "\"COMMIT\"]}").body().contains("\"code\":\"aborted\""));
            assertTrue(post(served, of + "\"INSERT INTO t VALUES (8, 'y')\"]}")
                    .body()
                    .contains("\"count\":1"));
            assertTrue(post(served, of + "\"BEGIN; SELECT 'never closed\"]}")
                    .body()
                    .contains("never closed"));
            assertEquals(
                    204,
                    served.send("DELETE", ApiPaths.sql(UUID.fromString(session)), BodyPublishers.noBody(), Map.of())
                            .statusCode());
            assertEquals(404, post(served, of + "\"COMMIT\"]}").statusCode());
            assertTrue(post(served, other).body().contains("[[\"1\"]]"));
        }
    }

    @Test
    void parametersOfStatements(@TempDir Path directory) throws Exception {
        try (ServedNode served = served(directory)) {
            HttpResponse<String> answer = post(served, """
                    {"statements": ["INSERT INTO t VALUES (?, ?), (?, ?)", "SELECT * FROM t", "SELECT s FROM t WHERE id = ?"],
                     "parameters": [[1, "a'); DELETE FROM t --", 2, null], null, ["1"]]}""");
            assertEquals(200, answer.statusCode(), answer.body());
            JsonNode results = ServedNode.json(answer).get("results");
            assertEquals(2, results.get(0).get("count").asInt());
            assertEquals(
                    "[[\"1\",\"a'); DELETE FROM t --\"],[\"2\",null]]",
                    results.get(1).get("rows").toString());
            assertEquals(
                    "[[\"a'); DELETE FROM t --\"]]", results.get(2).get("rows").toString());

            String few = post(served, "{\"statements\": [\"SELECT s FROM t WHERE id = ?\"], \"parameters\": [[]]}")
                    .body();
            assertTrue(few.contains("0 for 1 question marks"), few);
            for (String wrong : List.of(
                    "\"SELECT * FROM t; SELECT * FROM t\"], \"parameters\": [[1]]",
                    "\"SELECT * FROM t\"], \"parameters\": [[1], [2]]",
                    "\"SELECT * FROM t WHERE id = ?\"], \"parameters\": [[[1]]]",
                    "\"SELECT * FROM t WHERE id = ?\"], \"parameters\": [[{}]]")) {
                HttpResponse<String> refused = post(served, "{\"statements\": [" + wrong + "}");
                assertEquals(400, refused.statusCode(), refused.body());
                assertTrue(refused.body().contains("parameters"), refused.body());
            }
        }
    }

    private static HttpRequest streaming(ServedNode served, String body) {
        return HttpRequest.newBuilder(URI.create(served.server.url() + ApiPaths.SQL))
                .header("content-type", "application/json")
                .header("accept", "application/x-ndjson")
                .timeout(Duration.ofMinutes(1))
                .POST(BodyPublishers.ofString(body))
                .build();
    }

    @Test
    void resultsAreStreamedAsLines(@TempDir Path directory) throws Exception {
        try (ServedNode served = served(directory)) {
            HttpResponse<Stream<String>> answer = served.client.send(streaming(served, """
                            {"statements": ["INSERT INTO t VALUES (1, 'a'), (2, NULL); SELECT s, id FROM t", "BEGIN",
                                "SELECT id FROM t WHERE id = 3", "UPDATE t SET s = 'b' RETURNING id, s", "SELECT 1 / (id - 2) FROM t", "COMMIT"]}"""), BodyHandlers.ofLines());
            assertEquals(
                    "application/x-ndjson",
                    answer.headers().firstValue("content-type").orElseThrow());
            List<String> lines = answer.body().toList();
            assertEquals(
                    List.of(
                            "{\"count\":2,\"cascaded\":{}}",
                            "{\"columns\":[\"s\",\"id\"]}",
                            "[\"a\",\"1\"]",
                            "[null,\"2\"]",
                            "{\"returned\":2}",
                            "{\"done\":\"begin\"}",
                            "{\"columns\":[\"id\"]}",
                            "{\"returned\":0}",
                            "{\"columns\":[\"id\",\"s\"]}",
                            "[\"1\",\"b\"]",
                            "[\"2\",\"b\"]",
                            "{\"returned\":2}",
                            "{\"columns\":[\"?column?\"]}",
                            "[\"-1\"]"),
                    lines.subList(0, 14));
            assertTrue(lines.get(14).startsWith("{\"error\":{\"code\":\"bad_value\""), lines.toString());
            assertEquals("{\"session\":null,\"inTransaction\":true}", lines.get(15));
            assertEquals(16, lines.size());
            HttpResponse<Stream<String>> cut = served.client.send(
                    streaming(served, "{\"session\": \"new\", \"statements\": [\"SELECT id FROM t; SELECT 'open\"]}"),
                    BodyHandlers.ofLines());
            List<String> all = cut.body().toList();
            assertTrue(all.get(all.size() - 2).contains("\"code\":\"syntax\""), all.toString());
            assertTrue(all.get(all.size() - 1).startsWith("{\"session\":\""), all.toString());
        }
    }

    /** Rows of 24 MiB: too many for one response, and for the buffers of a connection. */
    private static void insertMuch(ServedNode served) throws Exception {
        String text = "x".repeat(768 << 10);
        for (int i = 0; i < 32; i++) {
            assertTrue(post(served, "{\"statements\": [\"INSERT INTO t VALUES (" + i + ", '" + text + "')\"]}")
                    .body()
                    .contains("\"count\":1"));
        }
    }

    @Test
    void streamsHaveNoLimitOfSizeAndEndWithTheirClient(@TempDir Path directory) throws Exception {
        try (ServedNode served = served(directory)) {
            insertMuch(served);
            assertTrue(post(served, "{\"statements\": [\"SELECT * FROM t\"]}")
                    .body()
                    .contains("too_large"));
            HttpResponse<Stream<String>> whole = served.client.send(
                    streaming(served, "{\"statements\": [\"SELECT * FROM t\"]}"), BodyHandlers.ofLines());
            assertEquals(1 + 32 + 2, whole.body().count());

            JsonNode begun = ServedNode.json(post(served, "{\"session\": \"new\", \"statements\": [\"BEGIN\"]}"));
            String of = "{\"session\": \"" + begun.get("session").asText() + "\", \"statements\": [\"";
            HttpResponse<InputStream> left =
                    served.client.send(streaming(served, of + "SELECT * FROM t\"]}"), BodyHandlers.ofInputStream());
            assertEquals('{', left.body().read());
            left.body().close();
            String next = post(served, of + "SELECT count(*) FROM t\"]}").body();
            assertTrue(next.contains("\"code\":\"aborted\""), next);
            assertTrue(post(served, of + "ROLLBACK\"]}").body().contains("rollback"));
            assertTrue(post(served, of + "SELECT count(*) FROM t\"]}").body().contains("[[\"32\"]]"));
        }
    }

    @Test
    void whatMakesNoSense(@TempDir Path directory) throws Exception {
        try (ServedNode served = served(directory)) {
            assertEquals(400, post(served, "{}").statusCode());
            assertEquals(400, post(served, "{\"statements\": [null]}").statusCode());
            assertEquals(
                    400,
                    post(served, "{\"session\": \"x\", \"statements\": []}").statusCode());
            assertEquals(
                    400,
                    post(served, "{\"statements\": [\"" + "COMMIT;".repeat(1001) + "\"]}")
                            .statusCode());
            assertEquals(
                    404,
                    post(served, "{\"session\": \"" + UUID.randomUUID() + "\", \"statements\": []}")
                            .statusCode());
        }
    }
}
