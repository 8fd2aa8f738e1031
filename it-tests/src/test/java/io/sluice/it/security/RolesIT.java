package io.sluice.it.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.http.Role;
import io.sluice.it.support.Contract;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rights of the holders of tokens, for every operation of openapi.yaml. */
@SuppressWarnings("NullAway.Init") // made before all tests
class RolesIT {
    private static final Map<Role, String> TOKENS = Map.of(
            Role.READ, "reader-0123456789abcdef",
            Role.SUBMIT, "pipeline-0123456789abcdef",
            Role.OPERATE, "oncall-0123456789abcdef");

    /** Operations that need another role than to read. */
    private static final Map<String, Role> HIGHER = Map.ofEntries(
            Map.entry("POST /v1/imports", Role.SUBMIT),
            Map.entry("POST /v1/imports/{id}:pause", Role.SUBMIT),
            Map.entry("POST /v1/imports/{id}:resume", Role.SUBMIT),
            Map.entry("POST /v1/imports/{id}:cancel", Role.SUBMIT),
            Map.entry("GET /v1/files", Role.SUBMIT),
            Map.entry("POST /v1/preview", Role.SUBMIT),
            Map.entry("DELETE /v1/tables/{table}", Role.OPERATE),
            Map.entry("PUT /v1/tables/{table}/tuning", Role.OPERATE));

    /** Operations that change nothing that is not the sender's own; statements decide for themselves. */
    private static final Set<String> OWN =
            Set.of("POST /v1/sql", "DELETE /v1/sql/{session}", "DELETE /v1/operations/{operation}");

    @TempDir
    static Path directory;

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static SluiceProcess service;
    private static String url;

    @BeforeAll
    static void start() throws Exception {
        Path tokens = Files.write(
                directory.resolve("tokens"),
                List.of(
                        "# NAME ROLE TOKEN",
                        "dashboard read " + TOKENS.get(Role.READ),
                        "pipeline  SUBMIT  " + TOKENS.get(Role.SUBMIT),
                        "",
                        "oncall\toperate\t" + TOKENS.get(Role.OPERATE)));
        service = SluiceProcess.serve(directory, "127.0.0.1:0", directory, "--tokens", tokens.toString());
        url = service.url();
    }

    @AfterAll
    static void end() throws Exception {
        service.terminate();
        Result unused = service.await();
    }

    private static int status(Role role, String method, String path, String body) throws Exception {
        return send(role, method, path, body).statusCode();
    }

    /** Sends a request; its answer may be a stream without an end. */
    private static HttpResponse<InputStream> send(Role role, String method, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .header("content-type", "application/json")
                .header("authorization", "Bearer " + TOKENS.get(role))
                .timeout(Duration.ofMinutes(1))
                .build();
        return HTTP.send(request, BodyHandlers.ofInputStream());
    }

    private static String text(HttpResponse<InputStream> answer) throws Exception {
        try (InputStream body = answer.body()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void everyOperationNeedsItsRole() throws Exception {
        Set<String> operations = Contract.read().operations();
        assertEquals(Set.of(), difference(HIGHER.keySet(), operations));
        Map<String, String> wrong = new TreeMap<>();
        for (String operation : operations) {
            String[] parts = operation.split(" ", 2);
            Role needed = HIGHER.getOrDefault(operation, Role.READ);
            assertTrue(
                    needed != Role.READ || parts[0].equals("GET") || OWN.contains(operation),
                    operation + " writes, and no role is named for it here");
            String path = parts[1].replaceAll("\\{[a-z]+}", "00000000-0000-0000-0000-000000000000");
            for (Role role : Role.values()) {
                HttpResponse<InputStream> answer = send(role, parts[0], path, "");
                boolean forbidden = answer.statusCode() == 403;
                if (forbidden == (role.compareTo(needed) >= 0) || answer.statusCode() == 401) {
                    wrong.put(operation + " as " + role, String.valueOf(answer.statusCode()));
                }
                answer.body().close();
            }
        }
        assertEquals(Map.of(), wrong);
    }

    private static Set<String> difference(Set<String> of, Set<String> without) {
        Set<String> rest = new TreeSet<>(of);
        rest.removeAll(without);
        return rest;
    }

    @Test
    void statementsNeedTheirRole() throws Exception {
        Map<String, Role> statements = new TreeMap<>(Map.of(
                "SELECT 1 FROM t", Role.READ,
                "EXPLAIN DELETE FROM t", Role.READ,
                "BEGIN; ROLLBACK", Role.READ,
                "not sql", Role.READ,
                "INSERT INTO t VALUES (1)", Role.SUBMIT,
                "BEGIN; /* x */ insert into t values (1); ROLLBACK", Role.SUBMIT,
                "UPDATE t SET a = 1", Role.OPERATE,
                "SELECT 1 FROM t; DELETE FROM t", Role.OPERATE));
        for (Map.Entry<String, Role> each : statements.entrySet()) {
            String body = "{\"statements\": [\"" + each.getKey() + "\"]}";
            for (Role role : Role.values()) {
                int expected = role.compareTo(each.getValue()) >= 0 ? 200 : 403;
                assertEquals(expected, status(role, "POST", "/v1/sql", body), each.getKey() + " as " + role);
            }
        }
        String refused = text(send(Role.READ, "POST", "/v1/sql", "{\"statements\": [\"DELETE FROM t\"]}"));
        assertTrue(refused.contains("token dashboard has role read, and DELETE needs role operate"), refused);
    }

    /** A row that is replaced is changed, as by UPDATE. */
    @Test
    void importsThatReplaceRowsNeedTheRoleToChangeThem() throws Exception {
        Path rows = Stock.write(directory.resolve("replacing.csv"), Stock.numbers(1));
        ObjectNode spec = ServiceClient.spec("replacing", Stock.SQL.replace("stock", "replaced"), rows)
                .put("append", true)
                .put("onConflict", "last");
        HttpResponse<InputStream> refused = send(Role.SUBMIT, "POST", "/v1/imports", spec.toString());
        String why = text(refused);
        assertEquals(403, refused.statusCode(), why);
        assertTrue(why.contains("role submit, and an import that replaces rows needs role operate"), why);
        assertEquals(202, status(Role.OPERATE, "POST", "/v1/imports", spec.toString()));
        spec.put("jobId", "not-replacing").put("onConflict", "first");
        assertEquals(202, status(Role.SUBMIT, "POST", "/v1/imports", spec.toString()));
    }

    @Test
    void auditLogNamesTokens() throws Exception {
        Path rows = Stock.write(directory.resolve("stock.csv"), Stock.numbers(10));
        String schema =
                Files.writeString(directory.resolve("stock.sql"), Stock.SQL).toString();
        List<String> imported = new ArrayList<>(List.of(
                "import", "--server", url, "--schema", schema, "--job-id", "audited", rows.toString(), "--token-file"));
        Path reader = Files.writeString(directory.resolve("reader"), TOKENS.get(Role.READ));
        Path pipeline = Files.writeString(directory.resolve("pipeline"), TOKENS.get(Role.SUBMIT));
        imported.add(reader.toString());
        Result refused = SluiceProcess.call(imported.toArray(new String[0]));
        assertEquals(2, refused.exitCode(), refused.toString());
        assertTrue(
                refused.err().contains("token dashboard has role read, and this request needs role submit"),
                refused.err());
        imported.set(imported.size() - 1, pipeline.toString());
        Result taken = SluiceProcess.call(imported.toArray(new String[0]));
        assertEquals(0, taken.exitCode(), taken.toString());
        assertEquals(403, status(Role.SUBMIT, "DELETE", "/v1/tables/stock", ""));
        assertEquals(204, status(Role.OPERATE, "DELETE", "/v1/tables/stock", ""));
        String audit = Files.readString(directory.resolve("store/service/audit.jsonl"));
        for (String line : List.of(
                "\"token\":\"dashboard\",\"action\":\"POST /v1/imports\",\"status\":403",
                "\"token\":\"pipeline\",\"action\":\"create\",\"job\":\"audited\",\"status\":202",
                "\"token\":\"pipeline\",\"action\":\"DELETE /v1/tables/stock\",\"status\":403",
                "\"token\":\"oncall\",\"action\":\"DELETE /v1/tables/stock\",\"status\":204")) {
            assertTrue(audit.contains(line), line + " is not in " + audit);
        }
        TOKENS.values().forEach(token -> assertFalse(audit.contains(token), audit));
        String about = text(send(Role.READ, "GET", "/v1/service", ""));
        assertTrue(about.contains("\"token\":\"dashboard\",\"role\":\"read\""), about);
    }

    @Test
    void badFilesOfTokensAreRefused() throws Exception {
        Map<String, String> files = Map.of(
                "a read short-token", "give one of 16",
                "a write 0123456789abcdef", "none of read, submit and operate",
                "a 0123456789abcdef", "has 2 words",
                "ä read 0123456789abcdef", "the name must be",
                "a read 0123456789abcdef\na submit 0123456789abcdeg", "that of a already",
                "a read 0123456789abcdef\nb submit 0123456789abcdef", "that of a already",
                "# nothing", "has no tokens");
        for (Map.Entry<String, String> each : files.entrySet()) {
            Path file = Files.writeString(directory.resolve("bad"), each.getKey());
            Result refused = SluiceProcess.call(
                    "serve",
                    "--store",
                    directory.resolve("unused").toString(),
                    "--listen",
                    "127.0.0.1:0",
                    "--tokens",
                    file.toString());
            assertEquals(2, refused.exitCode(), refused.toString());
            assertTrue(refused.err().contains(each.getValue()), refused.toString());
            assertFalse(refused.err().contains("0123456789abcde"), refused.toString());
        }
        assertFalse(Files.exists(directory.resolve("unused")));
    }
}
