package io.sluice.service.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.source.ReadSpans;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobFiles;
import io.sluice.service.job.JobRecord.Change;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The progress that a job shows while an attempt runs. */
class JobWatchTest {
    private static Job running(Path directory) {
        JobRegistry registry = new JobRegistry(new JobFiles(directory), 1, Clock.systemUTC());
        Job job = ((JobRegistry.Creation.Created)
                        registry.create("a", "t", Map.of(), JsonNodeFactory.instance.objectNode(), null))
                .job();
        assertTrue(job.become(JobState.PENDING, JobState.PRECHECKING, Change.NOTHING));
        assertTrue(job.become(JobState.PRECHECKING, JobState.RUNNING, Change.NOTHING));
        return job;
    }

    /** A full disk had a warning four times a second. */
    @Test
    void progressThatCannotBeKeptIsOneWarning(@TempDir Path directory) throws IOException {
        JobWatch watch = new JobWatch(running(directory), Clock.systemUTC());
        ImportProgress progress = new ImportProgress();
        watch.begin(progress, List.of(), Mode.DIRECT);
        List<String> warnings = new ArrayList<>();
        Path obstacle = directory.resolve("a/.tally.json");
        for (int outage = 1; outage <= 2; outage++) {
            Files.createDirectory(obstacle);
            for (int i = 0; i < 5; i++) {
                progress.done(100, 10);
                watch.poll(null, warnings::add);
            }
            assertEquals(outage, warnings.size(), warnings.toString());
            Files.delete(obstacle);
            watch.poll(null, warnings::add);
        }
        assertTrue(warnings.get(0).startsWith("the progress of job a cannot be kept: "), warnings.toString());
    }

    /** An attempt learns what earlier ones have done when it has begun, all at once. */
    @Test
    void ratesAreWithoutTheWorkOfEarlierAttempts(@TempDir Path directory) {
        Job job = running(directory);
        JobWatch watch = new JobWatch(job, Clock.systemUTC());
        ImportProgress progress = new ImportProgress();
        watch.begin(progress, List.of(), Mode.DIRECT);
        watch.update(null);
        progress.expect(1, 1);
        progress.resumeFrom(1_000_000, 3, ReadSpans.NONE, List.of());
        watch.update(null);
        assertEquals(1_000_003, job.record().tally().rows().read());
        assertEquals(0, job.live().rowsPerSecond());
        progress.done(100, 10);
        watch.update(null);
        assertEquals(1_000_013, job.record().tally().rows().read());
        assertTrue(job.live().rowsPerSecond() > 0 && job.live().bytesPerSecond() > 0);
    }
}
