package io.sluice.it.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.it.support.HaltingSluice;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An import service in a process of its own that cannot write what it wants to below {@code --state}: whatever it says
 * of a job, before and after a restart, is so. A directory in the place of a file that is to be written is what a full
 * disk is, and works for every user.
 */
@SuppressWarnings("NullAway.Init") // the set-up sets the fields
@SomeTests(1)
class ServiceFaultsIT {
    private static final int ROWS = 20_000;
    private static final long BYTES_PER_SECOND = 1_500_000;

    @TempDir
    Path directory;

    private Path input;
    private Path state;
    private SluiceProcess service;
    private ServiceClient client;

    @BeforeEach
    void write() throws IOException {
        input = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(ROWS, 5));
        Files.writeString(input, "no row\n", StandardOpenOption.APPEND);
        state = Files.createDirectory(directory.resolve("state"));
    }

    @AfterEach
    void stop() throws Exception {
        service.kill();
        service.await();
    }

    private void start(String... jvmOptions) throws Exception {
        service = SluiceProcess.serve(
                directory,
                List.of(jvmOptions),
                "127.0.0.1:0",
                directory,
                "--state",
                state.toString(),
                "--memory",
                "128m",
                "--jobs",
                "1");
        client = new ServiceClient(service.url());
    }

    private void restart() throws Exception {
        service.kill();
        service.await();
        start();
    }

    private ObjectNode spec(String id) {
        return ServiceClient.spec(id, Stock.SQL.replace("stock", "t_" + id), input)
                .put("mode", "direct")
                .put("maxRejects", "1")
                .put("bytesPerSecond", BYTES_PER_SECOND);
    }

    private void createAndAwaitReading(String id) {
        client.create(spec(id));
        client.await(id, "read from", job -> job.at("/progress/bytesRead").asLong() > 0);
    }

    private Path file(String id, String name) {
        return state.resolve("jobs").resolve(id).resolve(name);
    }

    /** Nothing can be written to a file any more. */
    private static void obstruct(Path file) throws IOException {
        Files.createDirectories(file.resolve("in-the-way"));
    }

    private static void clear(Path file) throws IOException {
        Files.delete(file.resolve("in-the-way"));
        Files.delete(file);
    }

    private boolean isPublished(String id) throws Exception {
        service.kill();
        service.await();
        Result tables = SluiceProcess.call(
                "tables", "--store", directory.resolve("store").toString());
        assertEquals(0, tables.exitCode(), tables.toString());
        return tables.out().contains("t_" + id + " ");
    }

    @Test
    void aJobWhoseEndCannotBeWrittenIsDone() throws Exception {
        start();
        createAndAwaitReading("ends");
        obstruct(file("ends", ".job.json"));
        JsonNode job = client.finished("ends");
        assertEquals("succeeded_with_rejects", job.path("state").asText(), job.toString());
        assertTrue(job.path("message").asText().contains("is published, and that is not written yet"), job.toString());
        clear(file("ends", ".job.json"));
        restart();
        JsonNode again = client.finished("ends");
        assertEquals("succeeded_with_rejects", again.path("state").asText(), again.toString());
        assertEquals(job.at("/report/digest"), again.at("/report/digest"));
        assertTrue(isPublished("ends"));
    }

    @Test
    void aJobWhoseRejectsCannotBeKeptIsUndone() throws Exception {
        start();
        createAndAwaitReading("rejects");
        obstruct(file("rejects", "rejects/manifest.json.new"));
        JsonNode job = client.finished("rejects");
        assertEquals("failed", job.path("state").asText(), job.toString());
        assertTrue(job.path("message").asText().contains("reject bundle"), job.toString());
        assertTrue(!isPublished("rejects"));
    }

    /** Nothing runs any more, and that cannot be written either: the job does not say that it runs. */
    @Test
    void aJobWhoseFailureCannotBeWrittenIsPendingAndGoesOn() throws Exception {
        start();
        createAndAwaitReading("waits");
        obstruct(file("waits", ".job.json"));
        obstruct(file("waits", "rejects/manifest.json.new"));
        String why = client.await("waits", "pending").path("message").asText();
        assertTrue(why.contains("reject bundle") && why.contains("waits cannot be written in "), why);
        clear(file("waits", "rejects/manifest.json.new"));
        clear(file("waits", ".job.json"));
        assertEquals(
                "succeeded_with_rejects", client.finished("waits").path("state").asText());
        assertTrue(isPublished("waits"));
    }

    @Test
    void aPublishedJobSucceedsThoughItsInputIsGone() throws Exception {
        start(HaltingSluice.at(FaultPoints.PUBLISHED).toArray(String[]::new));
        client.create(spec("gone"));
        assertEquals(SluiceProcess.KILLED, service.await().exitCode());
        Files.delete(input);
        start();
        JsonNode job = client.finished("gone");
        assertEquals("succeeded_with_rejects", job.path("state").asText(), job.toString());
        assertEquals(ROWS, job.at("/report/rowsImported").asInt(), job.toString());
        assertTrue(isPublished("gone"));
    }

    /** The first of two cancelled jobs cannot be written for a while; the other one is undone meanwhile. */
    @Test
    void jobsAreUndoneIndependently() throws Exception {
        start();
        for (String id : List.of("first", "second")) {
            createAndAwaitReading(id);
            client.act(id, "pause");
            client.await(id, "paused");
        }
        service.kill();
        service.await();
        for (String id : List.of("first", "second")) {
            Path record = file(id, "job.json");
            Files.writeString(record, Files.readString(record).replace("\"paused\"", "\"cancelling\""));
        }
        obstruct(file("first", ".job.json"));
        start();
        assertEquals("cancelled", client.finished("second").path("state").asText());
        assertEquals("cancelling", client.state("first"));
        clear(file("first", ".job.json"));
        assertEquals("cancelled", client.finished("first").path("state").asText());
    }

    /**
     * A small disk, where this user may mount one, and its growth: the smaller one is full of the job's own journal.
     * While it is full the job waits, and says why; then it goes on.
     */
    @ParameterizedTest
    @ValueSource(ints = {2, 32})
    void aJobWaitsWhileTheDiskOfStateIsFull(int mebibytes) throws Exception {
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", state.toString()) == 0,
                "this machine lacks leave to mount a disk");
        try {
            start();
            createAndAwaitReading("full");
            try (OutputStream out = Files.newOutputStream(state.resolve("filler"))) {
                byte[] some = new byte[512];
                while (true) {
                    out.write(some);
                }
            } catch (IOException e) {
                assertTrue(String.valueOf(e.getMessage()).contains("No space left"), e.toString());
            }
            JsonNode job = client.await(
                    "full", "not running", each -> !each.path("state").asText().equals("running"));
            if (job.path("state").asText().equals("pending")) {
                restart();
                String why = client.await("full", "told why", each -> each.has("message"))
                        .path("message")
                        .asText();
                assertTrue(why.contains("No space left"), why);
            }
            assertEquals(0, run("mount", "-o", "remount,size=64m", state.toString()));
            String end = client.finished("full").path("state").asText();
            assertEquals("succeeded_with_rejects", end);
            restart();
            assertEquals(end, client.state("full"));
            assertTrue(isPublished("full"));
        } finally {
            service.kill();
            service.await();
            assertEquals(0, run("umount", state.toString()));
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
    }
}
