package io.sluice.it.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.api.node.NodeClient;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.importer.job.ImportSettings;
import io.sluice.it.support.FaultyProxy;
import io.sluice.it.support.ServedNode;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.Stock;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobFiles;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobRegistry.Creation;
import io.sluice.service.job.JobState;
import io.sluice.service.job.JobState.Action;
import io.sluice.service.run.JobRuns;
import io.sluice.service.run.RunSettings;
import io.sluice.service.run.Target;
import io.sluice.service.spec.SourceRoots;
import io.sluice.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that a service takes up while one of two nodes, which are in no cluster, does not answer. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory, the set-up all else
class JobWithLostNodeTest {
    private static final int ROWS = 100;
    private static final Set<JobState> RESTING = EnumSet.of(JobState.PAUSED, JobState.FAILED, JobState.SUCCEEDED);
    private static final int MOST_RESUMES = 10;
    private static final long NODE_PATIENCE_MILLIS = 5_000;

    @TempDir
    Path directory;

    private ServedNode first;
    private ServedNode second;
    private FaultyProxy link;
    private NodeClient nodes;
    private JobRegistry registry;
    private JobRuns runs;

    @BeforeEach
    void start() throws IOException {
        first = ServedNode.open(directory.resolve("first"));
        second = ServedNode.open(directory.resolve("second"));
        link = FaultyProxy.to(URI.create(second.url()).getAuthority());
        Map<String, NodeClient> each = new LinkedHashMap<>();
        for (String url : List.of(first.url(), "http://" + link.address())) {
            RemoteSettings settings = RemoteSettings.of(url).withPatience(NODE_PATIENCE_MILLIS, NODE_PATIENCE_MILLIS);
            each.put(settings.name(), new RemoteNode(settings));
        }
        nodes = new Cluster(each, 1);
        startJobs();
    }

    private void startJobs() {
        registry = new JobRegistry(new JobFiles(directory.resolve("jobs")), 10, Clock.systemUTC());
        runs = new JobRuns(
                registry,
                new Target(nodes, 2, directory.resolve("work"), null, table -> null, List::of),
                new SourceRoots(List.of(directory.toString())),
                new RunSettings(1, ImportSettings.MIN_MEMORY_BYTES, 1, "test"),
                Clock.systemUTC());
    }

    @AfterEach
    void stop() {
        runs.close();
        nodes.close();
        link.close();
        first.close();
        second.close();
    }

    private Job job() {
        return Objects.requireNonNull(registry.find("one"));
    }

    private JobState resting() throws Exception {
        Await.until(() -> RESTING.contains(job().state()), () -> "the job is " + job().state());
        return job().state();
    }

    private JobState resumed() throws Exception {
        assertNotNull(registry.act(job(), Action.RESUME));
        return resting();
    }

    private void publishOnFirstNode(boolean ends) throws Exception {
        link.fault((proxy, path, forward) -> path.endsWith("publish") ? 0 : forward.run());
        Path input = Stock.write(directory.resolve("stock.csv"), Stock.numbers(ROWS));
        ObjectNode request = ServiceClient.spec("one", Stock.SQL, input).put("mode", "merge");
        assertInstanceOf(Creation.Created.class, registry.create("one", "stock", Map.of(), request, null));
        Await.until(
                () -> first.node().table("stock") != null || job().state() == JobState.FAILED,
                () -> "the job is " + job().state());
        if (ends) {
            runs.close();
        } else {
            assertEquals(JobState.PAUSED, resting(), job().record().message());
        }
        assertNotNull(first.node().table("stock"));
        assertNull(second.node().table("stock"));
    }

    /** The service ends, or the job pauses, when one of the nodes has published the table. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void halfPublishedTableIsCompletedWhenTheNodeIsBack(boolean ends) throws Exception {
        publishOnFirstNode(ends);
        link.fault((proxy, path, forward) -> 0);
        if (ends) {
            startJobs();
            assertEquals(JobState.PAUSED, resting(), job().record().message());
        } else {
            assertEquals(JobState.PAUSED, resumed(), job().record().message());
        }
        String why = String.valueOf(job().record().message());
        assertTrue(why.contains(link.address()) && why.contains("resume the job"), why);
        link.heal();
        JobState end = resumed();
        for (int i = 0; i < MOST_RESUMES && end == JobState.PAUSED; i++) {
            // A slow machine was silent for longer than the client waits.
            end = resumed();
        }
        assertEquals(JobState.SUCCEEDED, end, job().record().message());
        assertNotNull(second.node().table("stock"));
    }
}
