package io.sluice.it.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.Contract;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.SluiceProcess;
import io.sluice.testing.SomeTests;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies that are no requests get 4xx and a word, and no text of others gives orders to a terminal. */
@SomeTests(1)
class HostileTextIT {
    private static final String DEEP = "[".repeat(100_000) + "]".repeat(100_000);
    private static final String DIGITS = "9".repeat(1_000_000);
    private static final String ID = "6f1c2c0e-5d0a-4c58-9a0b-0d5a9f3f1a01";
    private static final Pattern CLASS = Pattern.compile(
            "\\b(java|javax|com\\.fasterxml|io\\.sluice|org\\.apache|com\\.linecorp|io\\.netty)\\.[a-zA-Z]+\\.");

    private static final List<byte[]> BODIES = List.of(
            text(DEEP),
            text("{\"schema\":" + DEEP + "}"),
            text("{\"a\":".repeat(5_000) + "1" + "}".repeat(5_000)),
            text(DIGITS),
            text("{\"bytesPerSecond\":" + DIGITS + ",\"snapshot\":" + DIGITS + ",\"tableId\":" + DIGITS + ",\"line\":"
                    + DIGITS + "}"),
            text("{\"bytesPerSecond\":1e999999999,\"tombstoneConversion\":1e999999999,\"line\":-1e999999999}"),
            text("{\"statements\":1e99,\"tombstoneConversion\":\"x\",\"commit\":{},\"changes\":[1]}"),
            text("{\"format\":{\"type\":\"avro-json\",\"avroSchema\":\"" + "[".repeat(100_000) + "\"},\"inputs\":[]}"),
            text("{\"schema\":\"CREATE TABLE t (a INT8 DEFAULT " + "(".repeat(50_000) + "\"}"),
            text("null"),
            text("[]"),
            text("\"\""),
            text("{\"a\":1}{}"),
            text("{"),
            text(""),
            text("{\"\\u0000\":\"\\ud800\"}"),
            new byte[] {0, 0, (byte) 0xfe, (byte) 0xff, 1},
            new byte[] {'{', '"', (byte) 0xff, (byte) 0xc0, (byte) 0xaf, '"', ':', '1', '}'});

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    Path directory;

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void bodiesThatAreNoRequestsAreRefusedByEveryRouteOfTheService() throws Exception {
        SluiceProcess service = SluiceProcess.serve(directory, "127.0.0.1:0", directory);
        try {
            Set<String> routes = new TreeSet<>(Contract.read().operations());
            for (String action : List.of("pause", "resume", "cancel")) {
                routes.add("POST /v1/imports/none:" + action);
            }
            routes.removeIf(route -> !route.startsWith("POST"));
            assertTrue(routes.size() > 3, routes.toString());
            refused(service.url(), routes);
            assertFalse(service.err().contains("\tat "), service.err());
        } finally {
            service.terminate();
            SluiceProcess.Result unused = service.await();
        }
    }

    @Test
    void bodiesThatAreNoRequestsAreRefusedByEveryRouteOfTheNode() throws Exception {
        try (NodeProcess node = NodeProcess.start(directory.resolve("store"))) {
            Set<String> routes = new TreeSet<>(List.of(
                    "POST /v1/sql",
                    "POST /v1/imports",
                    "POST /v1/ingest",
                    "POST /v1/transactions/read",
                    "POST /v1/transactions/release",
                    "POST /v1/shuffle/" + ID + "/1",
                    "PUT /v1/tables/t/tuning",
                    "PUT /v1/ssts/" + ID));
            for (String step : List.of("prepare", "commit", "decide", "outcome", "forget")) {
                routes.add("POST /v1/transactions/" + ID + "/" + step);
            }
            for (String step : List.of("finalize", "readback", "publish", "detach")) {
                routes.add("POST /v1/imports/" + ID + "/" + step);
            }
            refused(node.url(), routes);
        }
    }

    private static void refused(String url, Set<String> routes) throws Exception {
        // Bodies of 1 MB do not go with an upgrade to HTTP/2.
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        for (String route : routes) {
            for (byte[] body : BODIES) {
                String path = route.substring(route.indexOf(' ') + 1).replace("{id}", "none");
                HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                        .header("content-type", "application/json")
                        .header("sluice-attempt", "1")
                        .method(route.substring(0, route.indexOf(' ')), BodyPublishers.ofByteArray(body))
                        .build();
                HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
                String begin = new String(body, 0, Math.min(60, body.length), StandardCharsets.UTF_8);
                String what = route + " " + begin + ": " + answer.statusCode() + " " + answer.body();
                // Some bodies are empty requests of some routes; none is worth more than an answer.
                assertTrue(answer.statusCode() < 500, what);
                assertFalse(CLASS.matcher(answer.body()).find(), what);
            }
        }
    }

    @Test
    void foreignNamesAreEscapedOnATerminal() throws Exception {
        String orders = "\u001b[31mred\u001b]0;title\u0007\u009b2J";
        Path file = Files.writeString(
                directory.resolve("a\u001b[2J.csv"), "id,\"" + orders + "\"\n1,x\n\"" + orders + "\",y\n");
        Path schema = Files.writeString(directory.resolve("s.sql"), "CREATE TABLE t (id INT8 PRIMARY KEY, s TEXT);");
        String store = directory.resolve("store").toString();
        for (List<String> command : List.of(
                List.of("schema", "infer", file.toString()),
                List.of("import", "--header", "--schema", schema.toString(), "--store", store, file.toString()),
                List.of("import", "--schema", schema.toString(), "--store", store, file.toString()),
                List.of("import", "--schema", schema.toString(), "--store", store, file + "x"),
                List.of("import", "--" + orders),
                List.of("sql", "--store", store, "-e", "SELECT \"" + orders + "\" FROM t"))) {
            SluiceProcess.Result result = SluiceProcess.run(directory, command.toArray(new String[0]));
            String said = result.out() + result.err();
            assertFalse(said.isEmpty(), command.toString());
            assertEquals(
                    -1,
                    said.chars()
                            .filter(c -> c != '\n' && c != '\t' && Character.isISOControl(c))
                            .findFirst()
                            .orElse(-1),
                    command + "\n" + said);
            assertFalse(CLASS.matcher(said).find(), said);
        }
    }
}
