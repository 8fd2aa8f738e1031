package io.sluice.service.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.wire.JobsBody;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobCatalog;
import io.sluice.service.job.JobFiles;
import io.sluice.service.job.JobRecord.Change;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobRegistry.Creation;
import io.sluice.service.job.JobState;
import io.sluice.service.job.JobState.Action;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scheduler with imports of real files into a real node. A slow job keeps its slot until a test stops it. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class SchedulerTest {
    private static final long AGAIN_MILLIS = 100;

    /** Finished jobs that a service of a cluster keeps. */
    private static final int MOST_SHARED = 1_000;

    private static final String FINISHED = """
            {"id": "done-%d", "number": %d, "table": "t", "labels": {}, "createdAt": 0, "version": 3, "state": "cancelled",
             "updatedAt": %d, "finishedAt": 1, "attempt": 0, "tally": {"fraction": 0.0, "bytesRead": 0, "bytesTotal": -1,
             "bytesProcessed": 0, "rowsRead": 0, "rowsRejected": 0, "kvs": 0, "sstsBuilt": 0, "sstsIngested": 0,
             "puts": 0, "elapsedMillis": 0, "checkpointAt": 0}}
            """;

    @TempDir
    Path directory;

    private final List<String> undone = Collections.synchronizedList(new ArrayList<>());
    private final List<String> failed = Collections.synchronizedList(new ArrayList<>());
    private RealJobs jobs;

    @BeforeEach
    void open() throws IOException {
        jobs = new RealJobs(directory);
    }

    @AfterEach
    void close() {
        jobs.close();
    }

    /** The end of a cancelled job; its attempt must be over before. */
    private boolean revert(Job job) {
        undone.add(job.id() + " from " + job.state().label());
        job.become(JobState.CANCELLING, JobState.REVERTING, Change.NOTHING);
        return job.become(JobState.REVERTING, JobState.CANCELLED, Change.NOTHING);
    }

    private Scheduler scheduler() {
        return scheduler(jobs::attempt, this::revert);
    }

    private Scheduler scheduler(Function<Job, Attempt> attempts, Predicate<Job> revert) {
        return new Scheduler(jobs.registry, attempts, job -> failed.add(job.id()), revert, AGAIN_MILLIS);
    }

    private void act(Job job, Action action, JobState expected) {
        assertEquals(expected, jobs.registry.act(job, action), job.id());
    }

    @Test
    void oldestRunsFirst() throws Exception {
        try (Scheduler scheduler = scheduler()) {
            Job first = jobs.slow("a");
            scheduler.start(1);
            jobs.await(first, JobState.RUNNING);
            Job second = jobs.quick("b");
            Job third = jobs.quick("c");
            assertEquals(0, scheduler.before(second));
            assertEquals(1, scheduler.before(third));
            assertNotNull(scheduler.running("a"));
            assertNull(scheduler.running("b"));
            act(first, Action.PAUSE, JobState.PAUSING);
            jobs.await(third, JobState.SUCCEEDED);
            assertEquals(List.of("a", "b", "c"), jobs.inOrder(JobState.RUNNING));
            assertEquals(JobState.PAUSED, first.state());
            assertEquals(2, jobs.node.digest("c").indexes().get(0).sum().count());
        }
    }

    /** Its place in the queue is that of its creation. */
    @Test
    void resumedJobRunsBeforeYoungerOnes() throws Exception {
        try (Scheduler scheduler = scheduler()) {
            Job paused = jobs.quick("a");
            act(paused, Action.PAUSE, JobState.PAUSED);
            Job slow = jobs.slow("b");
            scheduler.start(1);
            jobs.await(slow, JobState.RUNNING);
            Job younger = jobs.quick("c");
            act(paused, Action.RESUME, JobState.PENDING);
            assertEquals(1, scheduler.before(younger));
            assertEquals(0, scheduler.before(paused));
            act(slow, Action.CANCEL, JobState.CANCELLING);
            jobs.await(younger, JobState.SUCCEEDED);
            assertEquals(List.of("b", "a", "c"), jobs.inOrder(JobState.RUNNING));
        }
    }

    @Test
    void slotsBoundRunningJobs() throws Exception {
        try (Scheduler scheduler = scheduler()) {
            scheduler.start(2);
            Job a = jobs.slow("a");
            Job b = jobs.slow("b");
            jobs.await(() -> a.state() == JobState.RUNNING && b.state() == JobState.RUNNING, "two jobs do not run");
            Job c = jobs.slow("c");
            assertEquals(JobState.PENDING, c.state());
            act(a, Action.PAUSE, JobState.PAUSING);
            jobs.await(c, JobState.RUNNING);
            assertEquals(JobState.RUNNING, b.state());
        }
    }

    /** A queue takes ten jobs; running ones are no part of it. */
    @Test
    void fullQueueRefusesJobs() throws Exception {
        try (Scheduler scheduler = scheduler()) {
            Job running = jobs.slow("a");
            scheduler.start(1);
            jobs.await(running, JobState.RUNNING);
            for (int i = 0; i < 10; i++) {
                Job unused = jobs.quick("b" + i);
            }
            assertEquals(
                    new Creation.Full(10),
                    jobs.registry.create("c", "c", Map.of(), jobs.request("c", "1,one\n"), null));
            act(running, Action.CANCEL, JobState.CANCELLING);
            jobs.await(() -> jobs.registry.in(JobState.PENDING) < 10, "no job has begun");
            jobs.await(jobs.quick("c"), JobState.SUCCEEDED);
            assertEquals(10, jobs.inOrder(JobState.SUCCEEDED).indexOf("c"));
        }
    }

    /** Each attempt has the mode of the first one. */
    @Test
    void pausedJobGoesOn() throws Exception {
        try (Scheduler scheduler = scheduler()) {
            Job job = jobs.slow("a");
            scheduler.start(1);
            for (int attempt = 1; attempt <= 3; attempt++) {
                jobs.await(job, JobState.RUNNING);
                assertEquals(attempt, job.record().times().attempt());
                act(job, Action.PAUSE, JobState.PAUSING);
                jobs.await(job, JobState.PAUSED);
                assertEquals("direct", job.record().mode());
                assertNull(scheduler.running("a"));
                act(job, Action.RESUME, JobState.PENDING);
            }
            act(job, Action.CANCEL, JobState.CANCELLING);
            jobs.await(job, JobState.CANCELLED);
        }
    }

    /** Jobs without a thread are undone by another thread, running ones when their attempt has ended. */
    @Test
    void cancelledJobsAreUndoneOnce() throws Exception {
        try (Scheduler scheduler = scheduler(jobs::attempt, job -> {
            assertTrue(!job.id().equals("a") || !Files.exists(jobs.preparation.workDirectory(job)));
            return revert(job);
        })) {
            Job running = jobs.slow("a");
            scheduler.start(1);
            jobs.await(running, JobState.RUNNING);
            Job pending = jobs.quick("b");
            Job paused = jobs.quick("c");
            act(paused, Action.PAUSE, JobState.PAUSED);
            act(pending, Action.CANCEL, JobState.CANCELLING);
            jobs.await(pending, JobState.CANCELLED);
            act(paused, Action.CANCEL, JobState.CANCELLING);
            jobs.await(paused, JobState.CANCELLED);
            assertEquals(JobState.RUNNING, running.state());
            act(running, Action.CANCEL, JobState.CANCELLING);
            jobs.await(running, JobState.CANCELLED);
            assertEquals(List.of("b from cancelling", "c from cancelling", "a from cancelling"), undone);
            jobs.await(jobs.quick("d"), JobState.SUCCEEDED);
            assertEquals(List.of(), failed);
        }
    }

    /** A node does not answer while the first job is undone. */
    @Test
    void undoThatWaitsDelaysNoOther() throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        Predicate<Job> revert = job -> {
            if (job.id().equals("a")) {
                waits.countDown();
                try {
                    answered.await();
                } catch (InterruptedException e) {
                    return false;
                }
            }
            return revert(job);
        };
        try (Scheduler scheduler = scheduler(jobs::attempt, revert)) {
            scheduler.start(1);
            Job slow = jobs.slow("a");
            jobs.await(slow, JobState.RUNNING);
            act(slow, Action.CANCEL, JobState.CANCELLING);
            waits.await();
            Job other = jobs.slow("b");
            jobs.await(other, JobState.RUNNING);
            act(other, Action.CANCEL, JobState.CANCELLING);
            jobs.await(other, JobState.CANCELLED);
            assertEquals(JobState.CANCELLING, slow.state());
            answered.countDown();
            jobs.await(slow, JobState.CANCELLED);
            assertEquals(List.of("b from cancelling", "a from cancelling"), undone);
        }
    }

    @Test
    void failedJobIsReportedAndDelaysNoOther() throws Exception {
        try (Scheduler scheduler = scheduler()) {
            Job bad = jobs.create("a", jobs.request("a", "one,1\n"));
            Job missing = jobs.create("b", jobs.request("b", ""));
            Files.delete(jobs.inputs.resolve("b.csv"));
            Job good = jobs.quick("c");
            scheduler.start(1);
            jobs.await(good, JobState.SUCCEEDED);
            assertEquals(List.of("a", "b"), failed);
            assertEquals(JobState.FAILED, bad.state());
            String why = String.valueOf(missing.record().message());
            assertTrue(why.contains("b.csv"), why);
        }
    }

    /** An attempt that cannot begin, and an undo that fails, are tried again; other jobs run meanwhile. */
    @Test
    void failedOperationsAreTriedAgain() throws Exception {
        AtomicInteger reverts = new AtomicInteger();
        AtomicReference<String> reason = new AtomicReference<>();
        Function<Job, Attempt> attempts = job -> {
            if (job.id().equals("c")) {
                Job delayed = Objects.requireNonNull(jobs.registry.find("a"));
                reason.set(delayed.state().label() + ": " + delayed.record().message());
            } else if (job.id().equals("a") && reason.get() == null) {
                throw new IllegalStateException("the disk is full");
            }
            return jobs.attempt(job);
        };
        Predicate<Job> revert = job -> {
            return switch (reverts.incrementAndGet()) {
                case 1 -> false;
                case 2 -> throw new IllegalStateException("the node is away");
                default -> revert(job);
            };
        };
        try (Scheduler scheduler = scheduler(attempts, revert)) {
            Job delayed = jobs.quick("a");
            Job cancelled = jobs.quick("b");
            act(cancelled, Action.CANCEL, JobState.CANCELLING);
            Job other = jobs.quick("c");
            scheduler.start(1);
            jobs.await(delayed, JobState.SUCCEEDED);
            assertEquals(JobState.SUCCEEDED, other.state());
            assertEquals("pending: it waits for its next attempt: the disk is full", reason.get());
            jobs.await(cancelled, JobState.CANCELLED);
            assertEquals(3, reverts.get());
        }
    }

    /** Two threads had taken the job from the queue; the one that lost it forgot the attempt of the other. */
    @Test
    void jobThatIsResumedWhileItBeginsCanBePaused() throws Exception {
        List<CountDownLatch> taken = List.of(new CountDownLatch(1), new CountDownLatch(1));
        List<CountDownLatch> goes = List.of(new CountDownLatch(1), new CountDownLatch(1));
        AtomicInteger attempts = new AtomicInteger();
        Function<Job, Attempt> held = job -> {
            int number = attempts.getAndIncrement();
            if (number < goes.size()) {
                taken.get(number).countDown();
                awaitLatch(goes.get(number));
            }
            return jobs.attempt(job);
        };
        try (Scheduler scheduler = scheduler(held, this::revert)) {
            Job job = jobs.slow("a");
            scheduler.start(2);
            taken.get(0).await();
            act(job, Action.PAUSE, JobState.PAUSED);
            act(job, Action.RESUME, JobState.PENDING);
            taken.get(1).await();
            goes.get(0).countDown();
            jobs.await(job, JobState.RUNNING);
            goes.get(1).countDown();
            // The second thread goes on with this one.
            jobs.await(jobs.quick("b"), JobState.SUCCEEDED);
            assertNotNull(scheduler.running("a"));
            act(job, Action.PAUSE, JobState.PAUSING);
            jobs.await(job, JobState.PAUSED);
        }
    }

    /** It was taken from the queue before the service closed, and began afterwards. */
    @Test
    void jobThatBeginsWhileTheServiceClosesStops() throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch goes = new CountDownLatch(1);
        Scheduler scheduler = scheduler(
                job -> {
                    taken.countDown();
                    awaitLatch(goes);
                    return jobs.attempt(job);
                },
                this::revert);
        Job unused = jobs.slow("a");
        scheduler.start(1);
        taken.await();
        Thread closing = new Thread(scheduler::close);
        closing.start();
        while (closing.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        goes.countDown();
        closing.join();
        assertNull(scheduler.running("a"));
    }

    /** Jobs that were created and cancelled while no job ended filled disk and memory. */
    @Test
    void cancelledJobsTakeThePlacesOfEarlierOnes() throws Exception {
        List<JobsBody.Job> finished = new ArrayList<>();
        for (int i = 1; i <= MOST_SHARED; i++) {
            String record = FINISHED.formatted(i, i, i);
            Path job = Files.createDirectories(directory.resolve("shared/done-" + i));
            Files.writeString(job.resolve("job.json"), record);
            finished.add(new JobsBody.Job("done-" + i, record, "{}"));
        }
        CountDownLatch removed = new CountDownLatch(1);
        JobCatalog catalog = new JobCatalog() {
            @Override
            public List<JobsBody.Job> all() {
                return finished;
            }

            @Override
            public void put(JobsBody.Job job) {}

            @Override
            public void remove(JobsBody.Job job) {
                assertEquals("done-1", job.id());
                removed.countDown();
            }
        };
        JobRegistry registry =
                new JobRegistry(new JobFiles(directory.resolve("shared"), catalog), 1, Clock.systemUTC());
        try (Scheduler scheduler = new Scheduler(registry, jobs::attempt, job -> {}, this::revert, AGAIN_MILLIS)) {
            scheduler.start(0);
            Creation made = registry.create("a", "a", Map.of(), jobs.request("a", "1,one\n"), null);
            assertEquals(JobState.CANCELLING, registry.act(((Creation.Created) made).job(), Action.CANCEL));
            assertTrue(removed.await(60, TimeUnit.SECONDS));
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Jobs keep their states when a service ends; the next one runs them. */
    @Test
    void closedSchedulerLeavesJobsToTheNext() throws Exception {
        Job running;
        Job pending;
        try (Scheduler scheduler = scheduler()) {
            running = jobs.slow("a");
            scheduler.start(1);
            jobs.await(running, JobState.RUNNING);
            pending = jobs.quick("b");
        }
        assertEquals(JobState.RUNNING, running.state());
        assertEquals(JobState.PENDING, pending.state());
        jobs.close();
        jobs = new RealJobs(directory);
        try (Scheduler scheduler = scheduler()) {
            Job again = Objects.requireNonNull(jobs.registry.find("a"));
            scheduler.start(1);
            jobs.await(
                    () -> again.state() == JobState.RUNNING
                            && again.record().times().attempt() == 2,
                    "a rests");
            act(again, Action.CANCEL, JobState.CANCELLING);
            jobs.await(Objects.requireNonNull(jobs.registry.find("b")), JobState.SUCCEEDED);
            assertEquals(List.of("a from cancelling"), undone);
        }
    }
}
