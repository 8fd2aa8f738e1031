package io.sluice.it.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.api.wire.JobsBody;
import io.sluice.client.RemoteNode;
import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.NodeNetwork;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.testing.Await;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two import services and the three nodes of a cluster, each on a machine of its own, with a token and TLS. Packets
 * between some of them are lost:
 *
 * <pre>
 *   lost between         first                      second
 *   the services         runs job 1 to its end      says that the first does not answer
 *   first and nodes      stops by itself            takes over, resumes job 2
 *   second and all       takes over, resumes job 3  stops by itself
 * </pre>
 *
 * <p>Not in the suite; {@code .ci/nightly partition} runs it.
 */
@SuppressWarnings("NullAway.Init") // made before the test
class ServicesCutOff {
    private static final long SEED = Seeds.of(ServicesCutOff.class);
    private static final List<Integer> NODES = List.of(0, 1, 2);
    private static final int FIRST = 3;
    private static final int SECOND = 4;
    private static final int ROWS = 60_000;
    /** An import takes some ten seconds. */
    private static final long BYTES_PER_SECOND = 700_000;

    private static final String RUNS = "this service runs the jobs";
    private static final String STOPS = "the jobs here stop";
    /** A request that a service cannot send on is answered within this. */
    private static final long ANSWER_SECONDS = 20;

    @TempDir
    Path directory;

    private NodeNetwork network;
    private ClusterProcesses cluster;
    private SluiceProcess first;
    private SluiceProcess second;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(NodeNetwork.available(), "this machine lacks network namespaces, or the right to make them");
        List<String> unused = NodeNetwork.removeAbandoned();
        network = new NodeNetwork(5);
        cluster = new ClusterProcesses(directory, network, NODES.size());
        cluster.launchAll();
        first = cluster.serve(FIRST, Files.createDirectories(directory.resolve("first")), "--replicas", "2");
        assertEquals("ready", first.firstLine().substring(0, 5));
        second = cluster.serve(SECOND, Files.createDirectories(directory.resolve("second")), "--replicas", "2");
        assertEquals("ready", second.firstLine().substring(0, 5));
    }

    @AfterEach
    void stop() throws Exception {
        if (network != null) {
            network.heal();
            for (SluiceProcess service : new SluiceProcess[] {first, second}) {
                if (service != null) {
                    service.kill();
                    Result unused = service.await();
                }
            }
            cluster.close();
            network.close();
        }
    }

    private static long said(SluiceProcess service, String text) throws IOException {
        return service.err().lines().filter(line -> line.contains(text)).count();
    }

    private JobsBody.Lease lease() throws Exception {
        try (RemoteNode node = new RemoteNode(cluster.access(cluster.urls().get(0)))) {
            return Objects.requireNonNull(node.jobs(true).lease());
        }
    }

    private void submit(ServiceClient client, String id, Path input) {
        client.create(ServiceClient.spec(id, Stock.SQL.replace("TABLE stock", "TABLE " + id), input)
                .put("mode", "direct")
                .put("bytesPerSecond", BYTES_PER_SECOND));
        JsonNode unused = client.await(
                id, "under way", job -> job.at("/progress/fraction").asDouble() >= 0.2);
    }

    private void check(ServiceClient client, String id, int attempt, String digest) {
        JsonNode job = client.finished(id);
        assertEquals("succeeded", job.path("state").asText(), "seed " + SEED + ": " + job);
        assertEquals(attempt, job.path("attempt").asInt(), "seed " + SEED + ": " + job);
        assertEquals(digest, job.at("/report/digest").asText(), "seed " + SEED + ": " + job);
        Result read = cluster.sluice("digest", id, "--json");
        assertTrue(read.out().contains("\"rows\":" + ROWS) && read.out().contains(digest), read.toString());
        Result counted = cluster.sluice("sql", "-e", "SELECT count(*) FROM " + id);
        assertTrue(counted.out().contains(String.valueOf(ROWS)), counted.toString());
    }

    /** Waits until one service has taken over; the other must have stopped by then. */
    private void takesOver(SluiceProcess next, SluiceProcess before, long term) throws Exception {
        long ran = said(next, RUNS);
        long stopped = said(before, STOPS);
        Await.until(() -> said(next, RUNS) != ran, () -> "seed " + SEED + ": never took over: " + next.err());
        assertEquals(
                stopped + 1,
                said(before, STOPS),
                "seed " + SEED + ": two services run the jobs: " + before.err() + "\n" + next.err());
        assertEquals(term + 1, lease().term());
    }

    @Test
    void jobsRunOnceWhateverIsCutOff() throws Exception {
        Path input = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(ROWS, SEED));
        String digest = String.valueOf(
                Imports.intoNewStore(directory.resolve("undisturbed"), Imports.table(Stock.SQL), How.USUAL, input)
                        .digest());
        ServiceClient one = cluster.serviceOn(FIRST);
        ServiceClient two = cluster.serviceOn(SECOND);
        JobsBody.Lease before = lease();

        submit(two, "job1", input);
        network.cutOff(FIRST, List.of(SECOND));
        long start = System.nanoTime();
        HttpResponse<String> refused = two.get("/v1/imports/job1");
        assertEquals(503, refused.statusCode(), refused.body());
        assertTrue(refused.body().contains("does not answer"), refused.body());
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        assertTrue(seconds < ANSWER_SECONDS, "the answer took " + seconds + " s");
        check(one, "job1", 1, digest);
        assertEquals(before.term(), lease().term());
        assertEquals(0, said(second, RUNS));
        network.heal();

        submit(one, "job2", input);
        network.cutOff(FIRST, NODES);
        takesOver(second, first, before.term());
        check(two, "job2", 2, digest);
        network.heal();

        submit(two, "job3", input);
        network.cutOff(List.of(SECOND));
        takesOver(first, second, before.term() + 1);
        check(one, "job3", 2, digest);
        network.heal();
        // It listens anew.
        Await.until(
                () -> said(second, "this service stands by at") > 0,
                () -> "seed " + SEED + ": never stood by: " + second.err());
        assertEquals(
                one.job("job3"),
                two.await("job3", "forwarded", job -> job.path("state").asText().equals("succeeded")));
        assertEquals(before.term() + 2, lease().term());
    }
}
