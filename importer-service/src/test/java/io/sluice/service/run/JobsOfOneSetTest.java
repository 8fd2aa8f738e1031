package io.sluice.service.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedBuild;
import io.sluice.importer.job.staged.StagedManifest;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobRecord.Change;
import io.sluice.service.job.JobState;
import io.sluice.service.job.JobState.Action;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs that ingest the same staged set share its import on the nodes; none ends the running ingest of another. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory, the set-up the jobs
class JobsOfOneSetTest {
    private static final String DDL = "CREATE TABLE t (id INT PRIMARY KEY, v STRING);";
    private static final Set<JobState> RESTING = EnumSet.of(JobState.PAUSED, JobState.FAILED, JobState.CANCELLED);
    private static final long PATIENCE_SECONDS = 60;
    private static final long HOLD_SECONDS = 30;

    @TempDir
    Path directory;

    private final CountDownLatch ingesting = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private RealJobs jobs;

    @BeforeEach
    void open() throws Exception {
        jobs = new RealJobs(directory, NodeSettings.defaults().withFaults(this::hold));
        List<TableDef> tables = Ddl.parse(DDL, "test");
        List<InputFile> inputs = InputFiles.resolve(List.of(
                Files.writeString(jobs.inputs.resolve("t.csv"), "1,one\n").toString()));
        try (StagedBuild build = StagedBuild.open(
                SetPlace.of(jobs.inputs.resolve("set")),
                StagedManifest.Target.ofTable(DDL, tables, tables.get(0)),
                "csv",
                ConflictPolicy.ERROR,
                RejectLimit.NONE,
                inputs)) {
            ImportSettings settings = new ImportSettings(
                    InputFormat.DEFAULT,
                    new ImportSettings.Resources(build.workDirectory(), ImportSettings.MIN_MEMORY_BYTES, 1, 0),
                    ImportSettings.Rejects.NONE,
                    ImportSettings.Mode.MERGE,
                    ImportSettings.Verification.SUMS);
            new ImportJob(build, tables.get(0), inputs, settings, new ImportProgress()).run();
        }
    }

    @AfterEach
    void close() {
        jobs.close();
    }

    /** Holds the ingest when all its SSTs are in the tree. */
    private void hold(String point) {
        if (!point.equals(FaultPoints.FINALIZED)) {
            return;
        }
        ingesting.countDown();
        try {
            // After that a job that has waited for the import fences the ingest.
            boolean unused = released.await(HOLD_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException("another attempt has taken over", e);
        }
    }

    private Job create(String id) {
        ObjectNode request = JsonNodeFactory.instance
                .objectNode()
                .put("set", jobs.inputs.resolve("set").toString());
        return jobs.create(id, (ObjectNode) new NamedSources(jobs.roots, jobs.registry).completed(request));
    }

    @ParameterizedTest
    @CsvSource({"RESUME,PAUSED", "CANCEL,CANCELLED"})
    void ingestIsNotEndedByAnotherJob(Action action, JobState end) throws Exception {
        Job other = create("other");
        assertTrue(other.become(JobState.PENDING, JobState.PRECHECKING, Change.NOTHING));
        Change begun = new Change(Change.NOTHING.reason(), null, null, "merge", "the rows come in all at once");
        assertTrue(other.become(JobState.PRECHECKING, JobState.RUNNING, begun));
        assertTrue(other.become(JobState.RUNNING, JobState.PAUSED, Change.because("a client asked for it")));
        RunSettings settings = new RunSettings(2, 2 * ImportSettings.MIN_MEMORY_BYTES, 1, "test");
        JobRuns runs = new JobRuns(jobs.registry, jobs.target, jobs.roots, settings, Clock.systemUTC());
        try {
            Job running = create("running");
            assertTrue(ingesting.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
            assertNotNull(jobs.registry.act(other, action));
            jobs.await(() -> RESTING.contains(other.state()), "the other job has no end");
            released.countDown();
            jobs.await(() -> running.state().isFinal(), "the ingest has no end");
            assertEquals(JobState.SUCCEEDED, running.state(), running.record().message());
            assertEquals(end, other.state(), other.record().message());
        } finally {
            released.countDown();
            runs.close();
        }
    }
}
