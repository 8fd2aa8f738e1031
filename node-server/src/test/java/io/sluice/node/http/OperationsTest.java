package io.sluice.node.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.SstFile;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.OperationBody.State;
import io.sluice.http.ProblemException;
import io.sluice.model.error.TableBusyException;
import io.sluice.model.schema.Ddl;
import io.sluice.node.NodeSettings;
import io.sluice.testing.TestSsts;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Long-running operations: whose result is whose, and how they end. */
class OperationsTest {
    private static final int ROWS = 50_000;
    private static final String DIGEST = ApiPaths.digest("t");
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    /** A node that answers 202 to whatever is not done at once. */
    private static ServedNode served(Path directory) throws Exception {
        ServedNode served = new ServedNode(
                directory, NodeSettings.defaults(), NodeLimits.defaults().withStepMillis(1), null);
        var table = Ddl.parse("CREATE TABLE t (id INT PRIMARY KEY, s STRING)", "test")
                .get(0);
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(List.of(Integer.toString(i), "row " + i));
        }
        try (ImportSession session = served.node.beginImport(ImportRequest.of(table, IngestTiming.AT_END))) {
            List<SstFile> ssts = TestSsts.build(
                    session.table(), List.copyOf(rows), Files.createDirectories(directory.resolve("ssts")));
            ssts.forEach(session::ship);
            session.finalizeIngest();
            session.publish(session.present());
        }
        return served;
    }

    private static HttpResponse<String> start(ServedNode served, UUID id, String path) throws Exception {
        return served.send("GET", path, BodyPublishers.noBody(), Map.of(ApiHeaders.OPERATION, id.toString()));
    }

    /** Polls an operation until it has ended. */
    private static HttpResponse<String> ended(ServedNode served, String path) throws Exception {
        long start = System.nanoTime();
        while (System.nanoTime() - start < PATIENCE_NANOS) {
            HttpResponse<String> polled = served.get(path);
            if (polled.statusCode() != 202) {
                return polled;
            }
        }
        throw new AssertionError(path + " does not end");
    }

    /** The result of a digest, however long it takes. */
    private static JsonNode digest(ServedNode served, UUID id) throws Exception {
        HttpResponse<String> answer = start(served, id, DIGEST);
        if (answer.statusCode() == 200) {
            return ServedNode.json(answer);
        }
        assertEquals(202, answer.statusCode(), answer.body());
        String location = answer.headers().firstValue("location").orElseThrow();
        assertEquals(ApiPaths.operation(id), location);
        return ServedNode.json(ended(served, location)).get("result");
    }

    private static void execute(ServedNode served, String statement) throws Exception {
        HttpResponse<String> answer = served.post(
                ApiPaths.SQL, "{\"statements\": [\"" + statement + "\"]}", Map.of("content-type", "application/json"));
        assertTrue(answer.body().contains("\"count\":1"), answer.body());
    }

    @Test
    void laterRequestNeverGetsAnEarlierResult(@TempDir Path directory) throws Exception {
        try (ServedNode served = served(directory)) {
            // No client fetches this result.
            HttpResponse<String> abandoned = served.get(DIGEST);
            String location = abandoned.headers().firstValue("location").orElse("");
            if (abandoned.statusCode() == 202) {
                assertEquals(
                        "succeeded",
                        ServedNode.json(ended(served, location)).get("state").asText());
            }
            execute(served, "INSERT INTO t VALUES (" + ROWS + ", 'new')");
            HttpResponse<String> later = served.get(DIGEST);
            JsonNode digest = later.statusCode() == 200
                    ? ServedNode.json(later)
                    : ServedNode.json(ended(
                                    served,
                                    later.headers().firstValue("location").orElseThrow()))
                            .get("result");
            assertEquals(ROWS + 1, digest.get("indexes").get(0).get("count").asInt(), digest.toString());
        }
    }

    @Test
    void repeatedRequestFindsItsOperationAndAnotherIdStartsAnother(@TempDir Path directory) throws Exception {
        try (ServedNode served = served(directory)) {
            UUID id = new UUID(7, 7);
            try (Socket lost = served.socket()) {
                // The connection breaks before the answer is read.
                OutputStream out = lost.getOutputStream();
                out.write(("GET " + DIGEST + " HTTP/1.1\r\nhost: localhost\r\n" + ApiHeaders.OPERATION + ": " + id
                                + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
                out.flush();
                assertTrue(lost.getInputStream().read() >= 0);
            }
            JsonNode first = digest(served, id);
            assertEquals(ROWS, first.get("indexes").get(0).get("count").asInt());
            assertTrue(first.get("tableId").asInt() > 0, first.toString());
            execute(served, "DELETE FROM t WHERE id = 7");
            assertEquals(first, digest(served, id), "the same id is the same operation");
            JsonNode second = digest(served, new UUID(7, 8));
            assertEquals(ROWS - 1, second.get("indexes").get(0).get("count").asInt());
            assertTrue(second.get("version").asLong() > first.get("version").asLong(), first + ", " + second);
            assertEquals(2, ServedNode.json(served.get(ApiPaths.OPERATIONS)).size());

            HttpResponse<String> reused = start(served, id, DIGEST + "?span=00-01");
            assertEquals(422, reused.statusCode());
            assertEquals("key-reused", ServedNode.kind(reused));
        }
    }

    @Test
    void operationCanBeCancelled(@TempDir Path directory) throws Exception {
        try (ServedNode served = served(directory)) {
            for (long i = 0; i < 1_000; i++) {
                UUID id = new UUID(9, i);
                if (start(served, id, DIGEST).statusCode() == 202) {
                    assertEquals(
                            204,
                            served.send("DELETE", ApiPaths.operation(id), BodyPublishers.noBody(), Map.of())
                                    .statusCode());
                    HttpResponse<String> shown = ended(served, ApiPaths.operation(id));
                    if (shown.statusCode() == 409) {
                        assertTrue(shown.body().contains("was cancelled"), shown.body());
                        // The node goes on working.
                        assertEquals(
                                ROWS,
                                digest(served, new UUID(10, 0))
                                        .get("indexes")
                                        .get(0)
                                        .get("count")
                                        .asInt());
                        return;
                    }
                }
            }
            throw new AssertionError("every operation ended before it could be cancelled");
        }
    }

    /**
     * The publication of an append that the node has not applied yet, for one: a client repeats it under the same id.
     */
    @Test
    void operationThatIsToBeTriedAgainRunsAgain() {
        Operations operations = new Operations(Runnable::run, 1, System::nanoTime);
        UUID id = new UUID(0, 0);
        ExecutionException busy = assertThrows(ExecutionException.class, () -> operations
                .start(id, "a", () -> {
                    throw new TableBusyException("table t is busy");
                })
                .get());
        assertInstanceOf(TableBusyException.class, busy.getCause());
        Operations.Operation again = operations.start(id, "a", () -> "done");
        assertEquals(State.SUCCEEDED, again.body().state());
        assertSame(again, operations.start(id, "a", () -> "twice"), "a result is kept");
    }

    @Test
    void resultIsGivenOnlyWhenTheOperationShowsItsEnd() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        // The end asks the time. Meanwhile the result must not be there: a reader has 100 ms to find it too early.
        LongSupplier clock = () -> {
            try {
                return read.await(100, TimeUnit.MILLISECONDS) ? 1 : 0;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        ExecutorService pool = Executors.newFixedThreadPool(1);
        try {
            Operations.Operation operation = new Operations(pool, 1, clock).start(new UUID(0, 0), "a", () -> "done");
            assertEquals("done", operation.get());
            State shown = operation.body().state();
            read.countDown();
            assertEquals(State.SUCCEEDED, shown);
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void endedOperationsExpireAndAreBounded() throws Exception {
        AtomicLong now = new AtomicLong();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            Operations operations = new Operations(pool, 1, now::get);
            CountDownLatch end = new CountDownLatch(1);
            Operations.Operation running = operations.start(new UUID(0, 0), "a", () -> {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return "done";
            });
            List<UUID> ids = new ArrayList<>();
            for (int i = 1; i <= 2 * Operations.MAX_OPERATIONS; i++) {
                UUID id = new UUID(0, i);
                ids.add(id);
                Object unused = operations.start(id, "b", () -> "result").get();
            }
            assertEquals(Operations.MAX_OPERATIONS, operations.all().size());
            assertSame(running, operations.find(new UUID(0, 0)), "one that runs is never forgotten");
            assertNull(operations.find(ids.get(0)));
            UUID last = ids.get(ids.size() - 1);
            assertNotNull(operations.find(last));
            assertThrows(ProblemException.class, () -> operations.start(last, "c", () -> "other"));

            now.addAndGet(1 + Operations.KEPT_MILLIS * 1_000_000);
            assertNull(operations.find(last));
            assertEquals(State.RUNNING, running.body().state());
            end.countDown();
            assertEquals("done", running.get());
            assertEquals(State.SUCCEEDED, running.body().state());
            assertFalse(operations.all().isEmpty());
        } finally {
            pool.shutdownNow();
        }
    }
}
