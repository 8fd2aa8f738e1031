package io.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.it.support.HaltingSluice;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.Stock;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kills an import service at random moments and restarts it, until its job is done. The job resumes without a request,
 * its table equals that of an uninterrupted import, and its progress never decreases. {@code -Plong} kills twenty
 * times.
 */
@SomeTests(1)
class ServiceKilledIT {
    private static final long SEED = Seeds.of(ServiceKilledIT.class);
    private static final int KILLS = Integer.getInteger("sluice.it.kills", 2);
    private static final int ROWS = 60_000 * KILLS;
    /** Slow enough to be killed many times, and fast enough to come to an end. */
    private static final int BYTES_PER_SECOND = 10_000_000;

    private static final int MOST_MILLIS = 600;

    private static final int FEW_ROWS = 2_000;

    @Test
    void jobResumesWithoutARequest(@TempDir Path directory) throws Exception {
        Path input = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(ROWS, SEED));
        String digest = String.valueOf(
                Imports.intoNewStore(directory.resolve("undisturbed"), Imports.table(Stock.SQL), How.USUAL, input)
                        .digest());
        Random random = new Random(SEED);
        SluiceProcess process = serve(directory);
        try {
            ServiceClient client = new ServiceClient(process.url());
            client.create(ServiceClient.spec("killed", Stock.SQL, input)
                    .put("mode", "direct")
                    .put("bytesPerSecond", BYTES_PER_SECOND));
            double fraction = 0;
            int kills = 0;
            JsonNode job = client.job("killed");
            while (!succeeded(job)) {
                long end = System.nanoTime() + random.nextInt(MOST_MILLIS) * 1_000_000L;
                do {
                    job = client.job("killed");
                    double now = job.at("/progress/fraction").asDouble();
                    assertTrue(now >= fraction, "seed " + SEED + ": from " + fraction + " to " + now);
                    fraction = now;
                    assertTrue(!job.path("state").asText().equals("failed"), "seed " + SEED + ": " + job);
                    // A process that is killed sooner has not begun an attempt.
                } while (!succeeded(job)
                        && (System.nanoTime() < end || job.path("attempt").asInt() <= kills));
                if (kills < KILLS && !succeeded(job)) {
                    process.kill();
                    assertEquals(SluiceProcess.KILLED, process.await().exitCode());
                    process = serve(directory);
                    client = new ServiceClient(process.url());
                    job = client.job("killed");
                    // Its job may have ended between the last answer and the kill.
                    kills += succeeded(job) ? 0 : 1;
                }
            }
            assertEquals(digest, job.at("/report/digest").asText(), "seed " + SEED + ": " + job);
            assertEquals(ROWS, job.at("/report/rowsRead").asInt(), "seed " + SEED + ": " + job);
            assertEquals(kills + 1, job.path("attempt").asInt(), "seed " + SEED + ": " + job);
            assertFalse(Files.exists(directory.resolve("store/service/jobs/killed/journal")));
        } finally {
            process.terminate();
            process.await();
        }
    }

    /** Killed when all nodes know that the import is finished and none has published it: only that is left to do. */
    @ParameterizedTest
    @ValueSource(strings = {"merge", "two-pass"})
    void finishedJobIsPublishedAfterTheKill(String mode, @TempDir Path directory) throws Exception {
        Path input = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(FEW_ROWS, SEED));
        SluiceProcess process = SluiceProcess.serve(
                directory, HaltingSluice.at(FaultPoints.BEFORE_PUBLISH), "127.0.0.1:0", directory, "--memory", "128m");
        new ServiceClient(process.url())
                .create(ServiceClient.spec("finished", Stock.SQL, input).put("mode", mode));
        assertEquals(SluiceProcess.KILLED, process.await().exitCode());
        process = serve(directory);
        try {
            JsonNode job = new ServiceClient(process.url()).finished("finished");
            assertEquals("succeeded", job.path("state").asText(), job.toString());
            assertEquals(FEW_ROWS, job.at("/report/rowsRead").asInt(), job.toString());
        } finally {
            process.terminate();
            process.await();
        }
    }

    private static boolean succeeded(JsonNode job) {
        return job.path("state").asText().startsWith("succeeded");
    }

    private static SluiceProcess serve(Path directory) throws IOException {
        return SluiceProcess.serve(directory, "127.0.0.1:0", directory, "--memory", "128m", "--jobs", "1");
    }
}
