package io.sluice.it;

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

/** Speaks to an import service over HTTP; every answer is held to the contract. */
final class ServiceClient {
    static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> FINAL = List.of("succeeded", "succeeded_with_rejects", "failed", "cancelled");
    private static final long PATIENCE_SECONDS = 120;
    private static final long POLL_MILLIS = 10;
    private static final Contract CONTRACT = Contract.read();

    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;

    ServiceClient(String url) {
        this.url = url;
    }

    /** A request for an import of files. */
    static ObjectNode spec(String id, String schema, Path... inputs) {
        ObjectNode spec = JSON.createObjectNode().put("jobId", id).put("schema", schema);
        Arrays.stream(inputs).forEach(input -> spec.withArray("inputs").add(input.toString()));
        return spec;
    }

    HttpResponse<String> get(String path) {
        return send(request(path));
    }

    HttpResponse<String> post(String path, String body, String... headers) {
        HttpRequest.Builder request = request(path).POST(HttpRequest.BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("content-type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request);
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofSeconds(PATIENCE_SECONDS));
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
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

    static JsonNode json(HttpResponse<String> answer) {
        try {
            return JSON.readTree(answer.body());
        } catch (IOException e) {
            throw new AssertionError(answer.body(), e);
        }
    }

    /** Creates an import, which must be taken. */
    void create(ObjectNode spec) {
        HttpResponse<String> answer = post("/v1/imports", spec.toString());
        assertEquals(202, answer.statusCode(), answer.body());
    }

    /** Asks for an action; returns the status of the answer. */
    int act(String id, String action) {
        return post("/v1/imports/" + id + ":" + action, "").statusCode();
    }

    JsonNode job(String id) {
        HttpResponse<String> answer = get("/v1/imports/" + id);
        assertEquals(200, answer.statusCode(), answer.body());
        return json(answer);
    }

    String state(String id) {
        return job(id).path("state").asText();
    }

    /** Waits until a job is in a final state. */
    JsonNode finished(String id) {
        return await(id, "final", job -> FINAL.contains(job.path("state").asText()));
    }

    /** Waits until a job is in a state. */
    JsonNode await(String id, String state) {
        return await(id, state, job -> job.path("state").asText().equals(state));
    }

    /** Waits until something is true of a job. */
    JsonNode await(String id, String what, Predicate<JsonNode> condition) {
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
