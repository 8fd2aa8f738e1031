package io.sluice.service.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.bundle.Bundle;
import io.sluice.importer.bundle.Manifest;
import io.sluice.importer.job.ImportEvents;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.FailureCode;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.NodeSettings;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.service.StateDirectory;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobRecord.Change;
import io.sluice.service.job.JobState;
import io.sluice.service.spec.ImportSpec;
import io.sluice.service.spec.InvalidSpecException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A preparation makes settings of an import of a request, or an error that names the fault. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class PreparationTest {
    @TempDir
    Path directory;

    private RealJobs jobs;

    @BeforeEach
    void open() throws IOException {
        jobs = new RealJobs(directory);
    }

    @AfterEach
    void close() {
        jobs.close();
    }

    private Preparation.Import prepare(Job job) {
        return jobs.preparation.of(job, jobs.preparation.workDirectory(job));
    }

    private String problem(ObjectNode request) {
        Job job = jobs.create("t", request);
        return String.valueOf(
                assertThrows(RuntimeException.class, () -> prepare(job)).getMessage());
    }

    /** They have rows of the inputs, and with nodes they are in the directory that all users of a machine share. */
    @Test
    void temporaryFilesAreReadByTheirOwnerAlone() throws IOException {
        Job job = jobs.quick("a");
        assertEquals(Mode.DIRECT, prepare(job).mode().mode());
        Path work = jobs.preparation.workDirectory(job);
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(work)));
        try (StateDirectory one = StateDirectory.open(directory.resolve("one"));
                StateDirectory other = StateDirectory.open(directory.resolve("other"))) {
            Path temporary = one.temporary();
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(temporary)));
            assertEquals(temporary, one.temporary());
            assertNotEquals(temporary, other.temporary());
            Files.delete(other.temporary());
            Files.delete(temporary);
        }
    }

    /** The files of a request, by name and content; the error names each that is bad. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            a file that is missing       | one.csv=1,a  | "inputs": ["DIR/one.csv", "DIR/two.csv", "DIR/three.csv"] | DIR/two.csv; DIR/three.csv
            a glob without a match       | one.csv=1,a  | "inputs": ["DIR/*.tsv"]                                   | DIR/*.tsv
            a column that is none        | one.csv=1,a  | "format": {"columns": ["id", "w"]}                        | w
            a file without the header    | one.csv=i,v  | "format": {"header": true}                                | one.csv; id
            a charset the file is not in | one.csv=1,a  | "charset": "UTF-16"                                       | one.csv
            a compressed file that is no | one.csv=1,a  | "compression": "gzip"                                     | one.csv
            """)
    void badInputsAreNamed(String what, String file, String members, String named) throws IOException {
        String content = file.substring(file.indexOf('=') + 1) + "\n";
        Files.writeString(jobs.inputs.resolve(file.substring(0, file.indexOf('='))), content);
        String dir = jobs.inputs.toString();
        String json = "{\"schema\": \"CREATE TABLE t (id INT PRIMARY KEY, v STRING)\", \"inputs\": [\"DIR/one.csv\"], "
                + members + "}";
        String message = problem((ObjectNode) new JsonMapper().readTree(json.replace("DIR", dir)));
        for (String each : named.split("; ", -1)) {
            assertTrue(message.contains(each.replace("DIR", dir)), what + ": " + message);
        }
        Job job = Objects.requireNonNull(jobs.registry.find("t"));
        assertFalse(Files.exists(jobs.preparation.workDirectory(job)), "its inputs are checked first");
    }

    /** The roots are checked when a job begins, too: a link may have been made since the request. */
    @Test
    void linkOutOfTheRootsIsRefused() throws IOException {
        Path secret = Files.writeString(directory.resolve("secret.csv"), "1,a\n");
        ObjectNode request = jobs.request("t", "1,a\n");
        Files.delete(jobs.inputs.resolve("t.csv"));
        Files.createSymbolicLink(jobs.inputs.resolve("t.csv"), secret);
        Job job = jobs.create("t", request);
        InvalidSpecException e = assertThrows(InvalidSpecException.class, () -> prepare(job));
        assertTrue(String.valueOf(e.getMessage()).contains("--allow-root"), e.getMessage());
        assertFalse(String.valueOf(e.getMessage()).contains("secret"), e.getMessage());
    }

    @Test
    void modeIsChosenOnce() throws IOException {
        Job asked = jobs.create("a", jobs.request("a", "1,one\n").put("mode", "two-pass"));
        assertEquals("two-pass: asked for", mode(asked));
        Job append = jobs.create("b", jobs.request("b", "1,one\n").put("append", true));
        assertEquals("merge: rows for a table that exists come in all at once", mode(append));
        ObjectNode request = jobs.request("c", "1,one\n");
        request.remove("mode");
        Job chosen = jobs.create("c", request);
        String first = mode(chosen);
        assertFalse(first.endsWith("asked for"), first);
        assertTrue(chosen.become(JobState.PENDING, JobState.PRECHECKING, Change.NOTHING));
        Change change = new Change(Change.NOTHING.reason(), null, null, "two-pass", "an earlier build chose it");
        assertTrue(chosen.become(JobState.PRECHECKING, JobState.RUNNING, change));
        assertEquals("two-pass: an earlier build chose it", mode(chosen));
    }

    private String mode(Job job) {
        Preparation.Import prepared = prepare(job);
        assertEquals(prepared.mode().mode(), prepared.settings().mode());
        return prepared.mode().mode().label() + ": " + prepared.mode().why();
    }

    @Test
    void temporaryFilesOfEarlierAttemptsAreRemoved() throws IOException {
        Job job = jobs.quick("t");
        Path work = jobs.preparation.workDirectory(job);
        Path left = Files.writeString(Files.createDirectories(work).resolve("run-1"), "x");
        Preparation.Import prepared = prepare(job);
        assertFalse(Files.exists(left));
        assertTrue(Files.isDirectory(work));
        assertEquals(1, prepared.inputs().size());
    }

    @Test
    void placeWithoutTemporaryFilesIsNamed() throws IOException {
        Path work = directory.resolve("work");
        Files.writeString(work, "a file where the directory should be");
        Job job = jobs.quick("t");
        OperationFailedException e = assertThrows(OperationFailedException.class, () -> prepare(job));
        assertTrue(
                String.valueOf(e.getMessage())
                        .startsWith(jobs.preparation.workDirectory(job) + ": no temporary files can be made here"),
                e.getMessage());
    }

    @Test
    void setIsIngestedByOneJobAtATime() {
        UUID set = UUID.randomUUID();
        jobs.preparation.take(set);
        OperationFailedException e = assertThrows(OperationFailedException.class, () -> jobs.preparation.take(set));
        assertTrue(String.valueOf(e.getMessage()).contains("another job ingests staged set " + set), e.getMessage());
        jobs.preparation.take(UUID.randomUUID());
        jobs.preparation.giveBack(set);
        jobs.preparation.take(set);
    }

    /** A plan reads its inputs, and the import reads them again. */
    @Test
    void pipeHasNoPlan() throws Exception {
        ObjectNode request = jobs.request("t", "");
        Path pipe = jobs.inputs.resolve("t.csv");
        Files.delete(pipe);
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        BadInputException e =
                assertThrows(BadInputException.class, () -> jobs.preparation.plan(ImportSpec.of(request)));
        assertTrue(String.valueOf(e.getMessage()).contains("name files, not a pipe"), e.getMessage());
    }

    /** The node says whether the table exists; its refusal of an import does not. */
    @Test
    void codeOfAFailureTellsOfTheTable() throws Exception {
        BadInputException invalid = new BadInputException("no");
        Job create = jobs.quick("t");
        Job append = jobs.create("a", jobs.request("t", "3,three\n").put("append", true));
        assertEquals(FailureCode.INVALID, jobs.preparation.codeOf(invalid, create));
        assertEquals(FailureCode.NO_TABLE, jobs.preparation.codeOf(invalid, append));
        jobs.attempt(create).run().run();
        assertEquals(JobState.SUCCEEDED, create.state());
        assertEquals(FailureCode.TABLE_EXISTS, jobs.preparation.codeOf(invalid, create));
        OperationFailedException other = new OperationFailedException("the node is away");
        assertEquals(other.code(), jobs.preparation.codeOf(other, create));
        // Before it is known whether the inputs are valid, they are what is invalid.
        Job checked = jobs.create("b", jobs.request("t", "3,three\n"));
        assertTrue(checked.become(JobState.PENDING, JobState.PRECHECKING, Change.NOTHING));
        assertEquals(FailureCode.INVALID, jobs.preparation.codeOf(invalid, checked));
    }

    @Test
    void nothingIsPublishedForAJobThatHasNotBegun() throws IOException {
        assertNull(jobs.preparation.published(jobs.quick("t")));
    }

    /** The first attempt fails before it publishes. A bundle that is not complete could not be replayed. */
    @ParameterizedTest
    @ValueSource(strings = {"direct", "merge"})
    void bundleOfAnImportThatIsPublishedLaterIsComplete(String mode) throws IOException {
        Job job = finished(mode);
        jobs.attempt(job).run().run();
        assertEquals(JobState.SUCCEEDED_WITH_REJECTS, job.state(), job.record().message());
        Manifest manifest = Bundle.open(Preparation.bundle(job)).manifest();
        assertEquals(Manifest.State.IMPORTED, manifest.state());
        assertEquals(1, manifest.content().rejects());
        assertFalse(Files.exists(Preparation.journal(job)), "the journal is left");
    }

    /** A job whose first attempt ends before it publishes. */
    private Job finished(String mode) throws IOException {
        ObjectNode request = jobs.request("t", "1,one\nx,bad\n").put("mode", mode);
        Job job = jobs.create("t", request.put("maxRejects", "1"));
        assertTrue(job.become(JobState.PENDING, JobState.PRECHECKING, Change.NOTHING));
        ImportJob failing = prepare(job).job(new ImportProgress()).observedBy(new ImportEvents() {
            @Override
            public void reached(String point) {
                if (point.equals(FINISHED)) {
                    throw new IllegalStateException("a fault of the test");
                }
            }
        });
        Change begun = new Change(Change.NOTHING.reason(), null, null, mode, "asked for");
        assertTrue(job.become(JobState.PRECHECKING, JobState.RUNNING, begun));
        assertThrows(ImportPausedException.class, failing::run);
        assertTrue(job.become(JobState.RUNNING, JobState.PAUSED, Change.NOTHING));
        assertTrue(job.become(JobState.PAUSED, JobState.PENDING, Change.NOTHING));
        return job;
    }

    /** The service that wrote the bundle completes it when it is replayed there. */
    @Test
    void bundleOfAnotherServiceIsNamed() throws IOException {
        Job job = finished("direct");
        Path bundle = Preparation.bundle(job);
        Path other = directory.resolve("other");
        Files.move(bundle, other);
        jobs.attempt(job).run().run();
        assertEquals(JobState.SUCCEEDED_WITH_REJECTS, job.state(), job.record().message());
        String warnings = Objects.requireNonNull(job.report()).path("warnings").toString();
        assertTrue(warnings.contains("its reject bundle is on another machine, in " + bundle), warnings);
        BadInputException open = assertThrows(BadInputException.class, () -> Bundle.open(other));
        assertTrue(String.valueOf(open.getMessage()).contains("rename manifest.json.new"), open.getMessage());
        Files.move(other, bundle);
        NamedSources named = new NamedSources(jobs.roots, jobs.registry);
        assertEquals(
                Manifest.State.IMPORTED,
                named.replay(bundle.toString()).bundle().manifest().state());
    }

    /** A node that does not answer before the import itself begins. */
    @Test
    @Timeout(60)
    void jobStopsWhileItAsksWhetherItIsFinished() throws Exception {
        jobs.close();
        AtomicReference<@Nullable CountDownLatch> asked = new AtomicReference<>();
        jobs = new RealJobs(directory.resolve("silent"), NodeSettings.defaults().withFaults(point -> {
            CountDownLatch silent = asked.get();
            if (silent != null && point.equals(FaultPoints.RESUMED)) {
                silent.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    throw new OperationFailedException("interrupted while a node was asked", e);
                }
            }
        }));
        Job job = finished("direct");
        CountDownLatch begun = new CountDownLatch(1);
        asked.set(begun);
        Attempt attempt = jobs.attempt(job);
        CompletableFuture<Boolean> interrupted = CompletableFuture.supplyAsync(() -> {
            attempt.run().run();
            return Thread.currentThread().isInterrupted();
        });
        begun.await();
        assertEquals(JobState.PAUSING, jobs.registry.act(job, JobState.Action.PAUSE));
        attempt.stop();
        assertFalse(interrupted.get(30, TimeUnit.SECONDS));
        assertEquals(JobState.PAUSED, job.state());
        asked.set(null);
        assertEquals(JobState.PENDING, jobs.registry.act(job, JobState.Action.RESUME));
        jobs.attempt(job).run().run();
        assertEquals(JobState.SUCCEEDED_WITH_REJECTS, job.state(), job.record().message());
    }

    @Test
    void remarksOnInputsAreInTheReport() throws IOException {
        Path files = Files.createDirectories(jobs.inputs.resolve("files"));
        Files.createDirectories(files.resolve("more"));
        Files.writeString(files.resolve("t.csv"), "1,\\N\n");
        ObjectNode request = jobs.request("t", "");
        request.putArray("inputs").add(files.toString());
        Job job = jobs.create("t", request);
        jobs.attempt(job).run().run();
        assertEquals(JobState.SUCCEEDED, job.state(), job.record().message());
        String warnings = Objects.requireNonNull(job.report()).path("warnings").toString();
        assertTrue(warnings.contains("passed over in " + files + ": more/"), warnings);
        assertTrue(warnings.contains("column v has "), warnings);
    }
}
