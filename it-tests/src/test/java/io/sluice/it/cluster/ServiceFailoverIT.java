package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.Stock;
import io.sluice.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two import services of one cluster, in processes of their own. One runs the jobs, the other stands by:
 *
 * <pre>
 *   first    runs  | killed              | stands by                 | takes over     | SIGTERM
 *   second   stands by  | takes over, job 1 ends | runs job 2, stopped | goes on: stands by | takes over
 * </pre>
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ServiceFailoverIT {
    private static final long SEED = Seeds.of(ServiceFailoverIT.class);
    private static final int ROWS = 60_000;
    /** An import takes some ten seconds. */
    private static final long BYTES_PER_SECOND = 700_000;

    private static final String RUNS = "this service runs the jobs of the cluster";

    @TempDir
    Path directory;

    private ClusterProcesses cluster;

    @BeforeEach
    void choose() throws IOException {
        cluster = new ClusterProcesses(directory, 3);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private SluiceProcess serve(String name, String listen) throws IOException {
        Path own = Files.createDirectories(directory.resolve(name));
        return SluiceProcess.start(
                own,
                List.of(),
                "serve",
                "--nodes",
                cluster.address(0) + "," + cluster.address(1),
                "--replicas",
                "2",
                "--state",
                own.resolve("state").toString(),
                "--listen",
                listen,
                "--allow-root",
                directory.toString(),
                "--memory",
                "128m");
    }

    private static void awaitLine(SluiceProcess service, String text) throws Exception {
        awaitLines(service, 1, text);
    }

    private static void awaitLines(SluiceProcess service, int count, String text) throws Exception {
        Await.until(
                () -> {
                    assertTrue(service.isAlive(), service.err());
                    return service.err()
                                    .lines()
                                    .filter(line -> line.contains(text))
                                    .count()
                            >= count;
                },
                () -> "never said: " + text + "\n" + service.err());
    }

    private static void signal(String signal, SluiceProcess process) throws Exception {
        String pid = Long.toString(process.pid());
        assertEquals(0, new ProcessBuilder("kill", signal, pid).start().waitFor());
    }

    /** Waits for some progress of a job, and returns its fraction. */
    private static double progress(ServiceClient client, String id, double least) {
        return client.await(id, "further", job -> job.at("/progress/fraction").asDouble() >= least)
                .at("/progress/fraction")
                .asDouble();
    }

    @Test
    void anotherServiceGoesOnWithTheJobs() throws Exception {
        cluster.launchAll();
        Path input = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(ROWS, SEED));
        String digest = String.valueOf(
                Imports.intoNewStore(directory.resolve("undisturbed"), Imports.table(Stock.SQL), How.USUAL, input)
                        .digest());
        SluiceProcess first = serve("first", "127.0.0.1:0");
        String firstUrl = first.url();
        SluiceProcess second = serve("second", "127.0.0.1:0");
        String secondUrl = second.url();
        try {
            // The one that stands by takes requests for the other.
            ServiceClient client = new ServiceClient(secondUrl);
            client.create(ServiceClient.spec("one", Stock.SQL, input)
                    .put("mode", "direct")
                    .put("bytesPerSecond", BYTES_PER_SECOND));
            progress(new ServiceClient(firstUrl), "one", 0.3);
            assertEquals(1, client.job("one").path("attempt").asInt());

            first.kill();
            first.await();
            awaitLine(second, RUNS);
            JsonNode one = client.finished("one");
            assertEquals("succeeded", one.path("state").asText(), "seed " + SEED + ": " + one);
            assertEquals(digest, one.at("/report/digest").asText(), "seed " + SEED + ": " + one);
            assertEquals(2, one.path("attempt").asInt(), one.toString());

            // The first one is back, and shows what the second did.
            first = serve("first", firstUrl.substring("http://".length()));
            assertEquals(firstUrl, first.url());
            ServiceClient other = new ServiceClient(firstUrl);
            assertEquals("succeeded", other.state("one"));
            // Its rejects are on the second service's disk.
            Path bad = directory.resolve("bad.csv");
            Files.writeString(bad, "no,number,1,2,3\n" + Files.readString(input));
            other.create(ServiceClient.spec("two", Stock.SQL.replace("TABLE stock", "TABLE other"), bad)
                    .put("mode", "direct")
                    .put("maxRejects", "10")
                    .put("bytesPerSecond", BYTES_PER_SECOND));
            progress(other, "two", 0.3);

            // A process that stood still learns that another one has taken over.
            signal("-STOP", second);
            awaitLine(first, RUNS);
            progress(other, "two", 0.5);
            signal("-CONT", second);
            JsonNode two = other.finished("two");
            assertEquals("succeeded_with_rejects", two.path("state").asText(), "seed " + SEED + ": " + two);
            assertEquals(ROWS, two.at("/report/rowsImported").asInt(), "seed " + SEED + ": " + two);
            JsonNode rejects = ServiceClient.json(other.get("/v1/imports/two/rejects"));
            assertTrue(rejects.toString().contains("no,number,1,2,3"), rejects.toString());
            awaitLine(second, "this service stands by at " + secondUrl);
            assertEquals(two, client.job("two"));

            // One that ends in order is not waited for.
            first.terminate();
            assertEquals(0, first.await().exitCode());
            awaitLines(second, 2, RUNS);
        } finally {
            second.kill();
            first.kill();
        }
    }
}
