package io.sluice.service.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.api.wire.JobsBody;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import io.sluice.service.job.JobRecord.Change;
import io.sluice.service.job.JobRegistry.Creation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jobs of two services, one after the other, on disks of their own, with a catalog that both reach. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class JobFilesTest {
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path directory;

    private final Shared shared = new Shared();

    /** A catalog that has what was written to it, and takes nothing while it is unreachable. */
    private static final class Shared implements JobCatalog {
        private final Map<String, JobsBody.Job> jobs = new TreeMap<>();
        private boolean unreachable;
        /** Number of changes that are taken, and whose answers are lost. */
        private int lost;

        private Consumer<JobsBody.Job> afterPut = job -> {};
        /** Run once. */
        private final AtomicReference<Runnable> beforeRemoval = new AtomicReference<>(() -> {});

        @Override
        public List<JobsBody.Job> all() {
            return List.copyOf(jobs.values());
        }

        @Override
        public void put(JobsBody.Job job) {
            reach();
            jobs.put(job.id(), job);
            if (lost > 0) {
                lost--;
                throw new OperationFailedException("no node answers");
            }
            afterPut.accept(job);
        }

        @Override
        public void remove(JobsBody.Job job) {
            beforeRemoval.getAndSet(() -> {}).run();
            reach();
            jobs.remove(job.id());
        }

        private void reach() {
            if (unreachable) {
                throw new OperationFailedException("most nodes of the cluster do not answer");
            }
        }
    }

    private JobRegistry open(String name, @Nullable JobCatalog catalog) {
        return new JobRegistry(new JobFiles(directory.resolve(name), catalog), 10, Clock.systemUTC());
    }

    private static Job create(JobRegistry jobs, String id) throws IOException {
        JsonNode spec = JSON.readTree("{\"jobId\": \"" + id + "\"}");
        return assertInstanceOf(Creation.Created.class, jobs.create(id, "t", Map.of(), spec, null))
                .job();
    }

    private static Job find(JobRegistry jobs, String id) {
        Job job = jobs.find(id);
        assertNotNull(job, id);
        return job;
    }

    private static void finish(Job job) throws IOException {
        assertTrue(job.become(JobState.PENDING, JobState.PRECHECKING, Change.NOTHING));
        assertTrue(job.become(JobState.PRECHECKING, JobState.RUNNING, Change.NOTHING));
        JsonNode report = JSON.readTree("{\"rowsRead\": 7}");
        assertTrue(job.become(
                JobState.RUNNING, JobState.SUCCEEDED, new Change(Change.NOTHING.reason(), null, report, null, null)));
    }

    @Test
    void anotherServiceHasTheStatesAndReports() throws IOException {
        JobRegistry first = open("first", shared);
        finish(create(first, "done"));
        Job running = create(first, "running");
        assertTrue(running.become(JobState.PENDING, JobState.PRECHECKING, Change.NOTHING));

        JobRegistry second = open("second", shared);
        assertEquals(JobState.SUCCEEDED, find(second, "done").state());
        assertEquals("{\"rowsRead\":7}", String.valueOf(find(second, "done").report()));
        assertEquals("{\"jobId\":\"running\"}", find(second, "running").spec().toString());
        assertEquals(JobState.PRECHECKING, find(second, "running").state());

        // The first one is back: its file of a job that has ended meanwhile is an old one.
        Job taken = find(second, "running");
        assertTrue(taken.become(JobState.PRECHECKING, JobState.RUNNING, Change.NOTHING));
        assertTrue(taken.become(JobState.RUNNING, JobState.SUCCEEDED, Change.NOTHING));
        assertEquals(JobState.SUCCEEDED, find(open("first", shared), "running").state());
    }

    /** The second service has removed the job of that id, and created another one. */
    @Test
    void laterJobOfAnIdHasItsOwnRequest() throws IOException {
        finish(create(open("first", shared), "nightly"));
        Files.writeString(directory.resolve("first/nightly/tally.json"), "{}");
        JobRegistry second = open("second", shared);
        second.trim(0);
        JsonNode spec = JSON.readTree("{\"jobId\": \"nightly\", \"inputs\": [\"new.csv\"]}");
        assertInstanceOf(Creation.Created.class, second.create("nightly", "t", Map.of(), spec, null));
        Job taken = find(open("first", shared), "nightly");
        assertEquals(JobState.PENDING, taken.state());
        assertEquals(spec, taken.spec());
        assertFalse(Files.exists(directory.resolve("first/nightly/tally.json")));
    }

    /** Two threads whose jobs have ended trim the same jobs. */
    @Test
    void removedJobIsNotRemovedAgain() throws Exception {
        JobRegistry jobs = open("first", shared);
        finish(create(jobs, "a"));
        finish(create(jobs, "b"));
        CompletableFuture<Boolean> second = new CompletableFuture<>();
        shared.beforeRemoval.set(() -> {
            Thread other = new Thread(() -> {
                try {
                    jobs.trim(0);
                    second.complete(true);
                } catch (RuntimeException e) {
                    second.completeExceptionally(e);
                }
            });
            other.start();
            // It has listed the jobs, and waits for this removal.
            while (other.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
        });
        jobs.trim(0);
        assertTrue(second.get(60, TimeUnit.SECONDS));
        assertEquals(0, jobs.newestFirst().size());
        assertEquals(0, jobs.in(JobState.SUCCEEDED));
    }

    @Test
    void directoryThatAnOperatorHasRemovedKeepsNoJob() throws IOException {
        JobRegistry jobs = open("first", null);
        finish(create(jobs, "a"));
        DurableFiles.deleteTree(directory.resolve("first/a"));
        jobs.trim(0);
        assertEquals(0, jobs.newestFirst().size());
    }

    @Test
    void jobsFromBeforeTheCatalogAreAddedOnce() throws IOException {
        finish(create(open("first", null), "old"));
        assertEquals(JobState.SUCCEEDED, find(open("first", shared), "old").state());
        assertEquals(List.of("old"), List.copyOf(shared.jobs.keySet()));

        // Another service has removed it, and this one had an earlier build.
        shared.jobs.remove("old");
        Files.move(directory.resolve("first/.shared"), directory.resolve("first/shared"));
        assertEquals(0, open("first", shared).newestFirst().size());
        assertFalse(Files.exists(directory.resolve("first/shared")));
        assertFalse(Files.exists(directory.resolve("first/old")));
    }

    /** The service did not start again: it took the directory of that job for the mark that a cluster has its jobs. */
    @Test
    void noIdIsTheNameOfAFileOfTheService() throws IOException {
        create(open("own", null), "shared");
        assertEquals(JobState.PENDING, find(open("own", null), "shared").state());

        // A cluster's service has that mark.
        create(open("first", shared), "a");
        create(open("first", shared), "shared");
        assertEquals(JobState.PENDING, find(open("first", shared), "shared").state());
    }

    /** The service was started while no node answered, and ran jobs that another one had taken over. */
    @Test
    void jobsOfACatalogAreNotRunWithoutIt() throws IOException {
        create(open("first", shared), "a");
        OperationFailedException refused = assertThrows(OperationFailedException.class, () -> open("first", null));
        assertTrue(
                String.valueOf(refused.getMessage()).contains("no node of the cluster answers"), refused.getMessage());
        assertEquals(1, open("first", shared).newestFirst().size());
    }

    @Test
    void noJobIsCreatedAndNoStateChangedWithoutTheCatalog() throws IOException {
        JobRegistry jobs = open("first", shared);
        Job job = create(jobs, "a");
        shared.unreachable = true;
        assertThrows(OperationFailedException.class, () -> create(jobs, "b"));
        assertThrows(
                OperationFailedException.class,
                () -> job.become(JobState.PENDING, JobState.PRECHECKING, Change.NOTHING));
        assertEquals(JobState.PENDING, job.state());
        shared.unreachable = false;
        JobRegistry again = open("first", shared);
        assertEquals(1, again.newestFirst().size());
        assertEquals(JobState.PENDING, find(again, "a").state());
    }

    /** The client had heard that the creation failed, and the next service ran the job. */
    @Test
    void jobWhoseCreationHadNoAnswerIsCancelled() throws IOException {
        JobRegistry jobs = open("first", shared);
        Job running = create(jobs, "a");
        shared.lost = 1;
        OperationFailedException failed = assertThrows(OperationFailedException.class, () -> create(jobs, "b"));
        assertTrue(String.valueOf(failed.getMessage()).startsWith("job b is not created: "), failed.getMessage());
        assertTrue(running.become(JobState.PENDING, JobState.PRECHECKING, Change.NOTHING));
        JobRegistry second = open("second", shared);
        assertEquals(JobState.CANCELLED, find(second, "b").state());
        assertEquals(
                "the cluster did not answer when it was created",
                find(second, "b").record().message());
        assertEquals(JobState.PRECHECKING, find(second, "a").state());

        // Its client has created it again.
        assertEquals(JobState.PENDING, create(jobs, "b").state());
        assertEquals(JobState.PENDING, find(open("second", shared), "b").state());
    }

    /** The service was killed before it could cancel the job, and ran it when it was started again. */
    @Test
    void jobWhoseCreationHadNoAnswerIsCancelledAfterARestart() throws IOException {
        JobRegistry jobs = open("first", shared);
        shared.lost = 1;
        assertThrows(OperationFailedException.class, () -> create(jobs, "b"));
        shared.unreachable = true;
        assertThrows(OperationFailedException.class, () -> create(jobs, "never"));
        shared.unreachable = false;
        JobRegistry again = open("first", shared);
        assertEquals(JobState.CANCELLED, find(again, "b").state());
        assertNull(again.find("never"));
    }

    /** Another service had taken the jobs over, and the job had run. */
    @Test
    void jobWhoseCreationHadNoAnswerIsNotCancelledAfterItBegan() throws IOException {
        JobRegistry jobs = open("first", shared);
        shared.lost = 1;
        assertThrows(OperationFailedException.class, () -> create(jobs, "b"));
        finish(find(open("second", shared), "b"));
        assertEquals(JobState.SUCCEEDED, find(open("first", shared), "b").state());
    }

    /**
     * The disk failed after the catalog had taken the job. The client had heard so, and the next service ran the job.
     */
    @Test
    void jobThatTheDiskDoesNotTakeIsCancelled() throws IOException {
        Path obstacle = directory.resolve("first/b/x");
        shared.afterPut = job -> {
            try {
                if (job.id().equals("b") && shared.jobs.size() == 2) {
                    Files.createDirectories(obstacle);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        JobRegistry jobs = open("first", shared);
        Job running = create(jobs, "a");
        assertThrows(OperationFailedException.class, () -> create(jobs, "b"));
        assertTrue(running.become(JobState.PENDING, JobState.PRECHECKING, Change.NOTHING));
        assertEquals(JobState.CANCELLED, find(open("second", shared), "b").state());
    }

    /** It could be created, and its report then did not fit, so that the job could not end. */
    @Test
    void requestThatLeavesNoRoomForItsReportIsRefused() throws IOException {
        JobRegistry jobs = open("first", shared);
        JsonNode spec = JSON.createObjectNode().put("schema", "x".repeat(200_000));
        BadInputException refused =
                assertThrows(BadInputException.class, () -> jobs.create("long", "t", Map.of(), spec, null));
        assertTrue(String.valueOf(refused.getMessage()).contains("name a directory"), refused.getMessage());
        assertEquals(List.of(), shared.all());
        assertInstanceOf(
                Creation.Created.class,
                open("own", null).create("long", "t", Map.of(), spec, null),
                "without a catalog");
    }
}
