package io.sluice.it.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Speaks to an import service over HTTP; every answer is held to the contract. */
public final class ServiceClient {
    public static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> FINAL = List.of("succeeded", "succeeded_with_rejects", "failed", "cancelled");
    private static final long PATIENCE_SECONDS = 120;
    private static final long POLL_MILLIS = 10;
    private static final Contract CONTRACT = Contract.read();

    private final HttpClient http;
    private final String url;
    private final @Nullable String token;

    /** A client of the service at {@code http://HOST:PORT}. */
    public ServiceClient(String url) {
        this.url = url;
        http = HttpClient.newHttpClient();
        token = null;
    }

    /** A client of the service at {@code https://HOST:PORT} that trusts its certificate and has its token. */
    public ServiceClient(String url, Credentials credentials) throws Exception {
        this.url = url;
        http = HttpClient.newBuilder().sslContext(credentials.tls()).build();
        token = Credentials.TOKEN;
    }

    /** A request for an import of files. */
    public static ObjectNode spec(String id, String schema, Path... inputs) {
        ObjectNode spec = JSON.createObjectNode().put("jobId", id).put("schema", schema);
        Arrays.stream(inputs).forEach(input -> spec.withArray("inputs").add(input.toString()));
        return spec;
    }

    /** A request for an ingest of a staged set. */
    public static ObjectNode ingest(String id, Path set) {
        return JSON.createObjectNode().put("jobId", id).put("set", set.toString());
    }

    /** Sends a GET. */
    public HttpResponse<String> get(String path) {
        return send(request(path));
    }

    /**
     * Sends a POST; a body that is not empty is JSON.
     *
     * @param headers names and values, alternating
     */
    public HttpResponse<String> post(String path, String body, String... headers) {
        HttpRequest.Builder request = request(path).POST(HttpRequest.BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("content-type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request);
    }

    /** A request for a path, with a timeout of two minutes. */
    public HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofSeconds(PATIENCE_SECONDS));
        return token == null ? request : request.header("authorization", "Bearer " + token);
    }

    /** Sends a request and checks its response against openapi.yaml. */
    public HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            CONTRACT.check(answer);
            return answer;
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            throw new AssertionError("the test was interrupted", e);
        }
    }

    /** The body of a response as JSON. */
    public static JsonNode json(HttpResponse<String> answer) {
        try {
            return JSON.readTree(answer.body());
        } catch (IOException e) {
            throw new AssertionError(answer.body(), e);
        }
    }

    /** Creates an import, which must be taken. */
    public void create(ObjectNode spec) {
        HttpResponse<String> answer = post("/v1/imports", spec.toString());
        assertEquals(202, answer.statusCode(), answer.body());
    }

    /** Asks for an action; returns the status of the answer. */
    public int act(String id, String action) {
        return post("/v1/imports/" + id + ":" + action, "").statusCode();
    }

    /** A job as the service reports it now. */
    public JsonNode job(String id) {
        HttpResponse<String> answer = get("/v1/imports/" + id);
        assertEquals(200, answer.statusCode(), answer.body());
        return json(answer);
    }

    /** A job's state, for instance {@code running}. */
    public String state(String id) {
        return job(id).path("state").asText();
    }

    /** Waits until a job is in a final state. */
    public JsonNode finished(String id) {
        return await(id, "final", job -> FINAL.contains(job.path("state").asText()));
    }

    /** Waits until a job is in a state. */
    public JsonNode await(String id, String state) {
        return await(id, state, job -> job.path("state").asText().equals(state));
    }

    /** Waits until something is true of a job. */
    public JsonNode await(String id, String what, Predicate<JsonNode> condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        JsonNode job = job(id);
        while (!condition.test(job)) {
            boolean over = FINAL.contains(job.path("state").asText());
            assertTrue(!over && System.nanoTime() < end, "never " + what + ": " + job);
            pause();
            job = job(id);
        }
        return job;
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            throw new AssertionError("the test was interrupted", e);
        }
    }
}
