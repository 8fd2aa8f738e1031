package io.sluice.service.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobFiles;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobRegistry.Creation;
import io.sluice.service.run.JobRuns;
import io.sluice.service.run.RunSettings;
import io.sluice.service.run.Target;
import io.sluice.service.spec.SourceRoots;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JSON of jobs, with a real node. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class JobResourceTest {
    @TempDir
    Path directory;

    private JobRegistry registry(String name) {
        return new JobRegistry(new JobFiles(directory.resolve(name)), 10, Clock.systemUTC());
    }

    private Job nightly(String registry, String schema) {
        Creation made = registry(registry)
                .create(
                        "nightly",
                        "t",
                        Map.of(),
                        JsonNodeFactory.instance.objectNode().put("schema", schema),
                        null);
        return ((Creation.Created) made).job();
    }

    /** Lists and events had the request of the earlier job, which the service had removed. */
    @Test
    void laterJobOfAnIdShowsItsOwnRequest() {
        try (StorageNode node = StorageNode.open(directory.resolve("store"), NodeSettings.defaults());
                JobRuns runs = new JobRuns(
                        registry("run"),
                        new Target(node, 1, directory.resolve("work"), null, table -> null, List::of),
                        new SourceRoots(List.of()),
                        new RunSettings(1, 64 << 20, 1, "test"),
                        Clock.systemUTC())) {
            JobResource resource = new JobResource(runs);
            resource.of(nightly("first", "CREATE TABLE a (id INT PRIMARY KEY)"));
            Job later = nightly("second", "CREATE TABLE b (id INT PRIMARY KEY)");
            assertEquals(later.spec(), resource.of(later).get("spec"));
        }
    }
}
