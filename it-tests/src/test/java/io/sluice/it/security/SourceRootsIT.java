package io.sluice.it.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.it.support.RunningService;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service reads below its roots only, whatever its clients, the servers it asks, and other processes do. */
class SourceRootsIT {
    private static final String ROWS = "1,inside\n";
    private static final String SCHEMA = "CREATE TABLE t (id INT8 PRIMARY KEY, s TEXT)";

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    Path directory;

    /** A server of one page, which notes what it is asked. */
    private static final class Server implements AutoCloseable {
        private final HttpServer server;
        private final ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();

        Server(String redirect) throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> answer(exchange, redirect));
            server.start();
        }

        private void answer(HttpExchange exchange, String redirect) throws IOException {
            asked.add(exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("Authorization"));
            if (redirect.isEmpty()) {
                byte[] body = ROWS.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            } else {
                exchange.getResponseHeaders().set("Location", redirect);
                exchange.sendResponseHeaders(302, -1);
            }
            exchange.close();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    private static ObjectNode spec(String id, String input) {
        ObjectNode spec = ServiceClient.spec(id, SCHEMA);
        spec.putArray("inputs").add(input);
        return spec;
    }

    /** {@code SourceRootsTest} has all ways to write a step up. */
    @Test
    void addressesBelowNoRootAreRefusedBeforeTheyAreAsked() throws Exception {
        try (Server server = new Server("");
                RunningService service = RunningService.startReading(directory, server.url() + "/data/")) {
            for (String input : List.of(server.url() + "/data/%2e%2e/secret", "http://127.0.0.1:1/data/x")) {
                HttpResponse<String> answer =
                        service.client().post("/v1/imports", spec("up", input).toString());
                assertEquals(400, answer.statusCode(), input + ": " + answer.body());
                assertTrue(answer.body().contains("not_allowed"), answer.body());
            }
            assertEquals(List.of(), List.copyOf(server.asked));
            service.client().create(spec("below", server.url() + "/data/a%20b%2Fc.csv"));
            assertEquals(
                    "succeeded",
                    service.client().finished("below").path("state").asText());
        }
    }

    @Test
    void redirectsLeadNowhereElse() throws Exception {
        try (Server other = new Server("");
                Server redirecting = new Server(other.url() + "/data/x.csv");
                RunningService service = RunningService.startReading(directory, redirecting.url() + "/data/")) {
            String input = redirecting.url().replace("//", "//user:secret@") + "/data/x.csv";
            service.client().create(spec("away", input));
            JsonNode job = service.client().finished("away");
            assertEquals("failed", job.path("state").asText(), job.toString());
            assertTrue(job.path("message").asText().contains("is not below an allowed address"), job.toString());
            assertEquals(List.of(), List.copyOf(other.asked));
        }
    }

    @Test
    void aStoreIsOneThatTheOperatorNamed() throws Exception {
        try (Server store = new Server("");
                RunningService service = RunningService.startReading(directory, "s3://bucket/data/")) {
            ObjectNode spec = spec("stolen", "s3://bucket/data/x.csv");
            spec.putObject("s3").put("endpoint", store.url()).put("pathStyle", true);
            HttpResponse<String> answer = service.client().post("/v1/imports", spec.toString());
            assertEquals(400, answer.statusCode(), answer.body());
            assertTrue(answer.body().contains("/s3/endpoint"), answer.body());
            spec.putObject("s3").put("region", "a.evil.test/#");
            answer = service.client().post("/v1/imports", spec.toString());
            assertEquals(400, answer.statusCode(), answer.body());
            assertEquals(List.of(), List.copyOf(store.asked));
        }
    }

    @Test
    void hostsWithALinkLocalAddressAreRefused() throws Exception {
        Path hosts = Files.writeString(
                directory.resolve("hosts"), "169.254.169.254 data.test\nfd00:ec2::254 six.test\n127.0.0.1 localhost\n");
        SluiceProcess process = SluiceProcess.start(
                directory,
                List.of("-Djdk.net.hosts.file=" + hosts),
                "serve",
                "--store",
                directory.resolve("store").toString(),
                "--listen",
                "127.0.0.1:0",
                "--allow-root",
                "http://data.test/",
                "--allow-root",
                "http://six.test/");
        try {
            ServiceClient client = new ServiceClient(process.url());
            for (String host : List.of("data", "six")) {
                client.create(spec(host, "http://" + host + ".test/latest/meta-data"));
                JsonNode job = client.finished(host);
                assertEquals("failed", job.path("state").asText(), job.toString());
                assertTrue(job.path("message").asText().contains("metadata service"), job.toString());
                assertFalse(job.path("message").asText().contains("no answer"), job.toString());
            }
        } finally {
            process.terminate();
            SluiceProcess.Result unused = process.await();
        }
    }
}
