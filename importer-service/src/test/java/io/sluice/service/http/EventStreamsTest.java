package io.sluice.service.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sluice.http.HttpSettings;
import io.sluice.http.ServerLimits;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobFiles;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobRegistry.Creation;
import io.sluice.service.job.JobState;
import io.sluice.service.job.JobState.Action;
import io.sluice.service.observe.AuditLog;
import io.sluice.service.run.JobRuns;
import io.sluice.service.run.RunSettings;
import io.sluice.service.run.Target;
import io.sluice.service.spec.SourceRoots;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Event streams of a real server. */
class EventStreamsTest {
    /** The file of its request is lost. The service had no place for another watcher after some such requests. */
    @Test
    void streamThatCannotBeginTakesNoPlace(@TempDir Path directory) throws Exception {
        JobRegistry jobs = new JobRegistry(new JobFiles(directory.resolve("jobs")), 10, Clock.systemUTC());
        Job job =
                ((Creation.Created) jobs.create("a", "a", Map.of(), JsonNodeFactory.instance.objectNode(), null)).job();
        assertEquals(JobState.PAUSED, jobs.act(job, Action.PAUSE));
        Files.delete(directory.resolve("jobs/a/spec.json"));
        SourceRoots roots = new SourceRoots(List.of());
        RunSettings settings = new RunSettings(1, 64 << 20, 1, "test");
        HttpSettings http = new HttpSettings(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, null);
        try (StorageNode node = StorageNode.open(directory.resolve("store"), NodeSettings.defaults())) {
            Target target = new Target(node, 1, directory.resolve("work"), null, table -> null, List::of);
            try (AuditLog audit = new AuditLog(directory, Clock.systemUTC());
                    JobRuns runs = new JobRuns(jobs, target, roots, settings, Clock.systemUTC());
                    ServiceServer server = ServiceServer.start(
                            new ServiceServer.Parts(
                                    jobs, runs, target, roots, settings, audit, 10, (routes, audited) -> {}),
                            http,
                            ServerLimits.defaults())) {
                HttpClient client = HttpClient.newHttpClient();
                HttpRequest events = HttpRequest.newBuilder(URI.create(server.url() + "/v1/imports/a/events"))
                        .build();
                for (int i = 0; i <= EventStreams.MOST_STREAMS / 2; i++) {
                    assertEquals(
                            500, client.send(events, BodyHandlers.ofString()).statusCode(), "request " + i);
                }
            }
        }
    }
}
