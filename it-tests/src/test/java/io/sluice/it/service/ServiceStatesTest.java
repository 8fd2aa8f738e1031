package io.sluice.it.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.it.support.RunningService;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.Stock;
import io.sluice.testing.LiveFiles;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pausing, resuming and cancelling jobs in whatever state they are, and what is left of them. */
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(3)
class ServiceStatesTest {
    private static final int ROWS = 12_000;
    private static final int SLOW_BYTES_PER_SECOND = 400_000;
    /** Name prefixes of an import's threads. */
    private static final List<String> IMPORTING = List.of("sluice-import", "sluice-ship", "sluice-read-ahead");

    @TempDir
    static Path directory;

    private static RunningService running;
    private static ServiceClient client;
    private static Path input;

    @BeforeAll
    static void start() {
        running = RunningService.start(directory, 1, 100);
        client = running.client();
        input = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(ROWS, 3));
    }

    @AfterAll
    static void stop() {
        running.close();
    }

    private static ObjectNode spec(String id, String mode) {
        return ServiceClient.spec(id, Stock.SQL.replace("stock", "t_" + id.replace('-', '_')), input)
                .put("mode", mode);
    }

    private static String table(String id) {
        return "t_" + id.replace('-', '_');
    }

    @ParameterizedTest
    @CsvSource({"direct", "two-pass", "merge"})
    void pausedJobResumesToTheSameResult(String mode) {
        String id = "pause-" + mode;
        client.create(spec(id, mode).put("bytesPerSecond", SLOW_BYTES_PER_SECOND));
        client.await(id, "read from", job -> job.at("/progress/bytesRead").asLong() > 0);
        assertEquals(202, client.act(id, "pause"));
        JsonNode paused = client.await(id, "paused");
        assertNoThreads();
        assertNull(running.node().table(table(id)));
        assertEquals(List.of("resume", "cancel"), actions(paused));
        assertEquals(202, client.act(id, "pause"), "again");
        double fraction = paused.at("/progress/fraction").asDouble();
        assertEquals(202, client.act(id, "resume"));
        JsonNode done = client.finished(id);
        assertEquals("succeeded", done.path("state").asText(), done.toString());
        assertTrue(done.at("/progress/fraction").asDouble() >= fraction);
        assertEquals(2, done.path("attempt").asInt());
        assertEquals(
                running.node().digest(table(id)).digest(),
                done.at("/report/digest").asText());
        assertEquals(ROWS, done.at("/report/rowsImported").asInt());
        assertRefused(id, "pause", "succeeded");
        assertRefused(id, "resume", "succeeded");
        assertRefused(id, "cancel", "succeeded");
    }

    @ParameterizedTest
    @CsvSource({"direct", "two-pass", "merge"})
    void cancelledJobLeavesNothing(String mode) throws IOException {
        String id = "cancel-" + mode;
        Set<String> before = files();
        client.create(spec(id, mode).put("bytesPerSecond", SLOW_BYTES_PER_SECOND));
        client.await(id, "read from", job -> job.at("/progress/bytesRead").asLong() > 0);
        assertEquals(202, client.act(id, "cancel"));
        assertEquals("cancelled", client.finished(id).path("state").asText());
        assertNothingLeft(id, before);
        assertEquals(202, client.act(id, "cancel"), "again");
        assertRefused(id, "pause", "cancelled");
        assertRefused(id, "resume", "cancelled");
    }

    @ParameterizedTest
    @CsvSource({"direct", "two-pass", "merge"})
    void aPausedJobIsCancelled(String mode) throws IOException {
        String id = "both-" + mode;
        Set<String> before = files();
        client.create(spec(id, mode).put("bytesPerSecond", SLOW_BYTES_PER_SECOND));
        client.await(id, "read from", job -> job.at("/progress/bytesRead").asLong() > 0);
        assertEquals(202, client.act(id, "pause"));
        client.await(id, "paused");
        assertEquals(202, client.act(id, "cancel"));
        assertEquals("cancelled", client.finished(id).path("state").asText());
        assertNothingLeft(id, before);
    }

    @Test
    void queuedJobsArePausedResumedAndCancelled() {
        client.create(spec("first", "direct").put("bytesPerSecond", SLOW_BYTES_PER_SECOND));
        client.await("first", "running");
        for (String id : List.of("wait-a", "wait-b", "wait-c")) {
            client.create(spec(id, "merge"));
        }
        assertEquals("pending", client.state("wait-a"));
        assertRefusedNot("wait-a", "pause", "paused");
        assertRefusedNot("wait-b", "cancel", "cancelling", "reverting", "cancelled");
        assertEquals("cancelled", client.finished("wait-b").path("state").asText());
        assertRefusedNot("wait-c", "resume", "pending");
        assertEquals(202, client.act("first", "cancel"));
        assertEquals("succeeded", client.finished("wait-c").path("state").asText());
        assertEquals("paused", client.state("wait-a"));
        assertRefusedNot("wait-a", "resume", "pending", "prechecking", "running", "succeeded");
        assertEquals("succeeded", client.finished("wait-a").path("state").asText());
    }

    @Test
    void aJobThatFailsSaysWhyAndLeavesNothing() throws IOException {
        Path bad = Files.writeString(directory.resolve("bad.csv"), Stock.line(1) + "\n" + Stock.line(2) + "\nx\n");
        client.create(ServiceClient.spec("bad", Stock.SQL.replace("stock", "t_bad"), bad));
        JsonNode failed = client.finished("bad");
        assertEquals("failed", failed.path("state").asText());
        assertTrue(failed.path("message").asText().contains("line 3"), failed.toString());
        assertNull(running.node().table("t_bad"));
        assertRefused("bad", "resume", "failed");
        assertRefused("bad", "cancel", "failed");
    }

    /** The first attempt has left something on the node, and the second one does not come so far as to take it up. */
    @Test
    void aJobThatCannotGoOnFailsAndLeavesNothing() throws IOException {
        Path vanishing = Files.copy(input, directory.resolve("vanishing.csv"));
        ObjectNode spec = ServiceClient.spec("vanished", Stock.SQL.replace("stock", "t_vanished"), vanishing);
        client.create(spec.put("mode", "direct").put("bytesPerSecond", SLOW_BYTES_PER_SECOND));
        client.await(
                "vanished", "read from", job -> job.at("/progress/bytesRead").asLong() > 0);
        client.act("vanished", "pause");
        client.await("vanished", "paused");
        Files.delete(vanishing);
        client.act("vanished", "resume");
        JsonNode failed = client.finished("vanished");
        assertEquals("failed", failed.path("state").asText());
        assertTrue(failed.path("message").asText().contains("vanishing.csv"), failed.toString());
        client.create(ServiceClient.spec("another", Stock.SQL.replace("stock", "t_vanished"), input));
        assertEquals("succeeded", client.finished("another").path("state").asText());
    }

    @Test
    void actionOnAnOlderVersionIsRefused() {
        client.create(spec("version", "direct").put("bytesPerSecond", SLOW_BYTES_PER_SECOND));
        client.await("version", "running");
        HttpResponse<String> stale = client.post("/v1/imports/version:pause", "", "If-Match", "\"1\"");
        assertEquals(412, stale.statusCode(), stale.body());
        String etag =
                client.get("/v1/imports/version").headers().firstValue("etag").orElseThrow();
        assertEquals(
                202,
                client.post("/v1/imports/version:cancel", "", "If-Match", etag).statusCode());
        client.finished("version");
    }

    private static List<String> actions(JsonNode job) {
        List<String> actions = new ArrayList<>();
        job.path("actions").forEach(action -> actions.add(action.asText()));
        return actions;
    }

    private static void assertRefusedNot(String id, String action, String... states) {
        HttpResponse<String> answer = client.post("/v1/imports/" + id + ":" + action, "");
        assertEquals(202, answer.statusCode(), answer.body());
        String state = ServiceClient.json(answer).path("state").asText();
        assertTrue(List.of(states).contains(state), id + " is " + state);
    }

    private static void assertRefused(String id, String action, String state) {
        HttpResponse<String> answer = client.post("/v1/imports/" + id + ":" + action, "");
        assertEquals(409, answer.statusCode(), answer.body());
        assertEquals(state, ServiceClient.json(answer).path("state").asText());
    }

    private static void assertNothingLeft(String id, Set<String> before) throws IOException {
        assertNull(running.node().table(table(id)));
        assertNoThreads();
        Set<String> left = files();
        left.removeAll(before);
        assertEquals(Set.of(), left);
        assertFalse(Files.exists(directory.resolve("state/jobs/" + id + "/rejects")));
    }

    /** All SSTs and files that wait in the store; RocksDB removes what it dropped in a thread of its own. */
    private static Set<String> files() throws IOException {
        return LiveFiles.below(directory.resolve("store")).stream()
                .map(file -> directory.relativize(file).toString())
                .filter(file -> file.contains("staging/") || file.contains("work/") || file.contains("shuffle"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** An executor that has ended has a moment to let its last thread go. */
    private static void assertNoThreads() {
        long end = System.nanoTime() + 2_000_000_000L;
        List<String> threads = importing();
        while (!threads.isEmpty() && System.nanoTime() < end) {
            Thread.onSpinWait();
            threads = importing();
        }
        assertEquals(List.of(), threads);
    }

    private static List<String> importing() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(thread -> thread.getName().toLowerCase(Locale.ROOT))
                .filter(name -> IMPORTING.stream().anyMatch(name::startsWith))
                .toList();
    }
}
