package io.sluice.service.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.model.error.OperationFailedException;
import io.sluice.service.job.JobRecord.Change;
import io.sluice.service.job.JobRecord.CreatedBy;
import io.sluice.service.job.JobRegistry.Creation;
import io.sluice.service.job.JobState.Action;
import io.sluice.testing.MovableClock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The registry on a real directory, by scripts: each line has a command and its result. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class JobRegistryTest {
    private static final int MOST_PENDING = 3;
    private static final JsonMapper JSON = new JsonMapper();

    /** Bound on the heap of a finished job; 10,000 of them take 20 MB. */
    private static final int MOST_BYTES_PER_FINISHED_JOB = 2_000;

    /** A report of an import of a table with two indexes. */
    private static final String REPORT = """
            {"table": "stock", "state": "succeeded", "mode": "direct", "rowsRead": 1000000, "rowsImported": 1000000,
             "rowsRejected": 0, "duplicates": 0, "conflicts": 0, "kvs": {"primary": 1000000, "stock_by_item": 1000000},
             "bytesRead": 306000000,
             "seconds": {"total": 6.1, "import": 4.2, "merge": 0.0, "compact": 0.9, "verify": 0.2},
             "ssts": 40, "puts": 0, "maxHeight": 12, "l0Files": 0, "writeAmplification": 1.4, "spilledBytes": 0,
             "verified": true, "digest": "8f14e45fceea167a5a36dedd4bea2543",
             "stages": {"source": 0.5, "decode": 2.1, "encode": 1.7, "sort": 1.1, "sst": 2.0, "ship": 0.8},
             "limiter": "decode", "sample": null, "peakBufferBytes": 0, "rowsDropped": 0, "rowsReplaced": 0,
             "rejected": {"byReason": {}, "bundle": null}, "warnings": []}
            """;

    @TempDir
    Path directory;

    private JobRegistry registry;

    @BeforeEach
    void open() {
        registry = new JobRegistry(new JobFiles(directory), MOST_PENDING, Clock.systemUTC());
    }

    @Test
    void oneIdCreatesOneJob() {
        run("""
                create a           = created a
                create a           = taken a
                a finishes         = succeeded
                create a           = taken a
                restart            = a:succeeded
                create a           = taken a
                """);
    }

    /** The clock is set back by an hour between the two jobs. */
    @Test
    void jobThatFinishedFirstIsRemovedFirst() {
        MovableClock clock = new MovableClock();
        registry = new JobRegistry(new JobFiles(directory), MOST_PENDING, clock);
        run("""
                create a           = created a
                a finishes         = succeeded
                """);
        clock.move(Duration.ofHours(-1));
        run("""
                create b           = created b
                b finishes         = succeeded
                """);
        registry.trim(1);
        assertNull(registry.find("a"));
        assertNotNull(registry.find("b"));
    }

    @Test
    void oneKeyCreatesOneJobOfOneBody() {
        run("""
                create a key=k body=1 = created a
                create b key=k body=1 = repeated a
                create b key=k body=2 = other body than a
                create b key=l body=1 = created b
                a finishes            = succeeded
                create c key=k body=1 = repeated a
                restart               = b:pending a:succeeded
                create c key=k body=1 = repeated a
                create c key=k body=2 = other body than a
                create c              = created c
                """);
    }

    /** The limit is on new jobs: a paused job can always be resumed. */
    @Test
    void queueTakesNoMoreThanItsLimit() {
        run("""
                create a           = created a
                create b           = created b
                create c           = created c
                create d           = full of 3
                a starts           = running
                create d           = created d
                create e           = full of 3
                b pause            = paused
                create e           = created e
                b resume           = pending
                create f           = full of 4
                c cancel           = cancelling
                restart            = e:pending d:pending c:cancelling b:pending a:running
                unfinished         = a b c d e
                """);
    }

    @Test
    void actionsFitTheState() {
        run("""
                create a           = created a
                a resume           = pending
                a pause            = paused
                a pause            = paused
                a resume           = pending
                a starts           = running
                a pause            = pausing
                a resume           = refused
                a cancel           = cancelling
                a pause            = refused
                a cancel           = cancelling
                create b           = created b
                b finishes         = succeeded
                b cancel           = refused
                """);
    }

    /** A service that ends leaves jobs in their states; the next one calls requeue for each. */
    @Test
    void jobsWithoutThreadWait() {
        run("""
                create a           = created a
                a requeue          = pending
                a starts           = running
                restart            = a:running
                a requeue          = pending
                a starts           = running
                a pause            = pausing
                restart            = a:pausing
                a requeue          = paused
                a cancel           = cancelling
                a requeue          = cancelling
                """);
    }

    /** Runs the commands of a script, and compares their results. */
    private void run(String script) {
        StringBuilder seen = new StringBuilder();
        for (String line : script.split("\n", -1)) {
            if (!line.isEmpty()) {
                String command = line.substring(0, line.indexOf(" = "));
                seen.append(command)
                        .append(" = ")
                        .append(result(command.strip().split(" +", -1)))
                        .append('\n');
            }
        }
        assertEquals(script, seen.toString());
    }

    private String result(String... words) {
        return switch (words[0]) {
            case "create" -> create(words[1], words.length > 2 ? words[2] : null, words.length > 3 ? words[3] : "");
            case "restart" -> {
                open();
                yield StreamSupport.stream(registry.newestFirst().spliterator(), false)
                        .map(job -> job.id() + ":" + job.state().label())
                        .collect(Collectors.joining(" "));
            }
            case "unfinished" -> registry.unfinished().stream().map(Job::id).collect(Collectors.joining(" "));
            default -> act(job(words[0]), words[1]);
        };
    }

    private String create(String id, @Nullable String key, String body) {
        Creation made = registry.create(
                id, "t", Map.of(), JSON.createObjectNode(), key == null ? null : new CreatedBy(key, body));
        if (made instanceof Creation.Created created) {
            return "created " + created.job().id();
        } else if (made instanceof Creation.Repeated repeated) {
            return "repeated " + repeated.job().id();
        } else if (made instanceof Creation.OtherBody other) {
            return "other body than " + other.job().id();
        } else if (made instanceof Creation.Taken taken) {
            return "taken " + taken.id();
        } else if (made instanceof Creation.Full full) {
            return "full of " + full.pending();
        }
        return made.toString();
    }

    private String act(Job job, String word) {
        return switch (word) {
            case "starts" -> {
                start(job);
                yield job.state().label();
            }
            case "finishes" -> {
                start(job);
                assertTrue(job.conclude(JobState.RUNNING, JobState.SUCCEEDED, Change.NOTHING));
                yield job.state().label();
            }
            case "requeue" -> job.requeue(null).label();
            default -> {
                JobState next = registry.act(job, Action.valueOf(word.toUpperCase(Locale.ROOT)));
                yield next == null ? "refused" : next.label();
            }
        };
    }

    private static void start(Job job) {
        assertTrue(job.become(JobState.PENDING, JobState.PRECHECKING, Change.NOTHING));
        assertTrue(job.become(JobState.PRECHECKING, JobState.RUNNING, Change.NOTHING));
    }

    private Job job(String id) {
        Job job = registry.find(id);
        assertNotNull(job, id);
        return job;
    }

    /** The job started between the check of the client's version and the change, and was paused all the same. */
    @Test
    void actionIsForTheStateThatWasChecked() {
        run("create a           = created a\n");
        Job job = job("a");
        JobState next = registry.act(job, Action.PAUSE, record -> {
            boolean expected = record.version() == 1;
            if (expected) {
                start(job);
            }
            return expected;
        });
        assertNull(next);
        assertEquals(JobState.RUNNING, job.state());
    }

    @Test
    void forbiddenTransitionLeavesTheState() {
        run("create a           = created a\n");
        Job job = job("a");
        assertThrows(
                IllegalStateException.class, () -> job.become(JobState.PENDING, JobState.SUCCEEDED, Change.NOTHING));
        assertEquals(JobState.PENDING, job.state());
        assertEquals(1, job.record().version());
    }

    /**
     * A stream of events sent the changes up to a number, and later none of a job that had got its number meanwhile.
     */
    @Test
    void numberOfAChangeIsKnownWithTheChange() throws InterruptedException {
        run("create a           = created a\n");
        Job job = job("a");
        Thread changing = new Thread(() -> {
            for (int i = 0; i < 300_000; i++) {
                registry.touched(job);
            }
        });
        changing.start();
        long missed = 0;
        while (changing.isAlive()) {
            long known = registry.changes();
            missed += job.lastChange() < known ? 1 : 0;
        }
        assertEquals(0, missed);
    }

    /** Of two ids that differ in case, the second job asked the nodes for the import of the first. */
    @Test
    void eachIdHasItsOwnImport() {
        String id = "0123abcd-89ab-cdef-0123-456789abcdef";
        assertEquals(id, Job.importId(id).toString());
        assertNotEquals(Job.importId(id), Job.importId(id.toUpperCase(Locale.ROOT)));
    }

    @Test
    void recordIsOneFlatObject() throws IOException {
        registry.create("a", "t", Map.of("team", "x"), JSON.createObjectNode(), new CreatedBy("k", "h"));
        assertEquals("""
                {"id":"a","number":1,"table":"t","labels":{"team":"x"},"createdAt":0,"request":{"key":"k","bodyHash":"h"},\
                "version":1,"state":"pending","updatedAt":0,"attempt":0,"tally":{"fraction":0.0,"bytesRead":0,\
                "bytesTotal":-1,"bytesProcessed":0,"rowsRead":0,"rowsRejected":0,"kvs":0,"sstsBuilt":0,"sstsIngested":0,\
                "puts":0,"elapsedMillis":0,"checkpointAt":0}}""", Files.readString(directory.resolve("a/job.json")).replaceAll("At\":[0-9]{10,}", "At\":0"));
    }

    @Test
    void reportIsReadFromDiskAlsoAfterRestart() throws IOException {
        JsonNode report = JSON.readTree(REPORT);
        run("create a           = created a\na starts           = running\n");
        assertNull(job("a").report());
        assertTrue(job("a").conclude(
                        JobState.RUNNING,
                        JobState.SUCCEEDED,
                        new Change(JobRecord.Reason.NONE, null, report, null, null)));
        assertEquals(report, job("a").report());
        run("restart            = a:succeeded\n");
        assertEquals(report, job("a").report());
    }

    /** A directory in the place of the file that becomes job.json makes its write fail. */
    @Test
    void stateAndReportThatCannotBeWrittenAreKeptUntilTheyAre() throws IOException {
        JsonNode report = JSON.readTree(REPORT);
        run("create a           = created a\na starts           = running\n");
        Path obstacle = Files.createDirectory(directory.resolve("a/.job.json"));
        Job job = job("a");
        assertTrue(job.conclude(
                JobState.RUNNING, JobState.SUCCEEDED, new Change(JobRecord.Reason.NONE, null, report, null, null)));
        assertTrue(job.isUnsaved());
        assertEquals(report, job.report());
        assertTrue(
                String.valueOf(job.record().message()).contains("not written yet"),
                job.record().message());
        assertThrows(OperationFailedException.class, job::save);
        Files.delete(obstacle);
        job.save();
        assertEquals(report, job.report());
        assertNull(job.record().message());
        run("restart            = a:succeeded\n");
        assertEquals(report, job("a").report());
    }

    @Test
    void finishedJobsTakeLessThanTwoKilobytesOfHeap() throws IOException, JMException {
        long before = liveBytes();
        int finished = 200;
        for (int i = 0; i < finished; i++) {
            finishWithReport("in-this-process-" + i);
        }
        assertSmall("finished in this process", (liveBytes() - before) / finished);

        // As many again and more, as an earlier process left them.
        String template = Files.readString(directory.resolve("in-this-process-0/job.json"));
        int loaded = 1_000;
        for (int i = finished; i < loaded; i++) {
            Path job = Files.createDirectory(directory.resolve("loaded-" + i));
            Files.writeString(
                    job.resolve("job.json"),
                    template.replace("in-this-process-0", "loaded-" + i)
                            .replace("\"number\":1,", "\"number\":" + (1000 + i) + ","));
        }
        open();
        assertEquals(loaded, registry.in(JobState.SUCCEEDED));
        assertSmall("loaded", (liveBytes() - before) / loaded);
    }

    private void finishWithReport(String id) throws IOException {
        Creation made = registry.create(
                id,
                "stock",
                Map.of("team", "warehouse"),
                JSON.createObjectNode(),
                new CreatedBy("key-" + id, "0".repeat(64)));
        Job job = ((Creation.Created) made).job();
        start(job);
        Tally tally = new Tally(
                1,
                new Tally.Bytes(306_000_000, 306_000_000, 306_000_000),
                new Tally.Rows(1_000_000, 0),
                2_000_000,
                new Tally.Store(40, 40, 0),
                6_100,
                1);
        assertTrue(job.conclude(
                JobState.RUNNING,
                JobState.SUCCEEDED,
                new Change(JobRecord.Reason.NONE, tally, JSON.readTree(REPORT), null, null)));
    }

    private static void assertSmall(String which, long bytesPerJob) {
        assertTrue(bytesPerJob < MOST_BYTES_PER_FINISHED_JOB, which + ": " + bytesPerJob + " bytes per job");
    }

    /** Bytes of all reachable objects of this JVM, from the class histogram after a full collection. */
    private static long liveBytes() throws JMException {
        Object histogram = ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        String[] total = histogram
                .toString()
                .substring(histogram.toString().lastIndexOf("Total"))
                .split("\\s+", -1);
        return Long.parseLong(total[2]);
    }
}
