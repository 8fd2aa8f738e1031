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
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
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
