package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.NodeClient;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportEvents;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.ServedNode;
import io.sluice.it.support.Stock;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.sampler.SampledPlanner;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An import stops on request at any step, and leaves no threads and no files. A paused import resumes to the table of
 * an uninterrupted one; if it is abandoned, it leaves nothing.
 */
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(4)
class StoppedImportTest {
    private static final int ROWS = 30_000;
    private static final int FILES = 3;
    private static final long SEED = Seeds.of(StoppedImportTest.class);
    private static final int WORKERS = 4;
    private static final TableDef TABLE = Imports.table(Stock.SQL);
    private static final UUID JOB = UUID.nameUUIDFromBytes(new byte[] {2});

    @TempDir
    static Path inputs;

    private static List<String> files;
    private static String digest;

    /** The same rows in a table with the next id, as it is in a store that has undone an import. */
    private static String digestOfNext;

    @TempDir
    Path directory;

    @BeforeAll
    static void importUndisturbed() {
        List<Integer> numbers = Stock.shuffled(ROWS, SEED);
        List<Path> paths = Stream.iterate(0, i -> i < FILES, i -> i + 1)
                .map(i -> Stock.write(
                        inputs.resolve("stock-" + i + ".csv"),
                        numbers.subList(ROWS / FILES * i, ROWS / FILES * (i + 1))))
                .toList();
        files = paths.stream().map(Path::toString).toList();
        digest = String.valueOf(
                Imports.intoNewStore(inputs.resolve("store"), TABLE, How.USUAL, paths.toArray(new Path[0]))
                        .digest());
        try (StorageNode node = Imports.open(inputs.resolve("other"))) {
            assertTrue(ImportJob.abandon(node, TABLE, Mode.DIRECT, JOB));
            digestOfNext = String.valueOf(Imports.run(node, TABLE, How.USUAL, paths.toArray(new Path[0]))
                    .digest());
        }
    }

    /** Asks for something when a point or a phase was reached so many times. */
    private record Asking(String when, AtomicInteger left, Runnable ask) implements ImportEvents {
        @Override
        public void reached(String point) {
            if (point.equals(when) && left.decrementAndGet() == 0) {
                ask.run();
            }
        }

        @Override
        public void entered(ImportProgress.Phase phase) {
            reached(phase.name());
        }
    }

    private ImportJob job(NodeClient node, Mode mode) {
        return job(node, mode, null);
    }

    private ImportJob job(NodeClient node, Mode mode, @Nullable BundleSettings bundle) {
        ImportSettings settings = new ImportSettings(
                InputFormat.DEFAULT,
                new ImportSettings.Resources(work(), ImportSettings.MIN_MEMORY_BYTES, WORKERS, 0),
                new ImportSettings.Rejects(RejectLimit.NONE, bundle),
                mode,
                Verification.FULL);
        SampledPlanner planner = new SampledPlanner(TABLE.indexes().size(), SEED);
        return new ImportJob(node, TABLE, InputFiles.resolve(files), settings, new ImportProgress(), JOB, planner);
    }

    private Path work() {
        try {
            return Files.createDirectories(directory.resolve("work-of-importer"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs an import that is asked to stop; what it ends with. */
    private ImportPausedException stop(NodeClient node, Mode mode, String when, int times) {
        ImportControl control = new ImportControl();
        Asking asking = new Asking(when, new AtomicInteger(times), control::pause);
        ImportJob job = job(node, mode).observedBy(asking).controlledBy(control);
        ImportPausedException stopped = assertThrows(ImportPausedException.class, job::run);
        assertFalse(Thread.interrupted(), "the flag must be down");
        assertEquals(List.of(), threadsOfImports());
        assertEquals(List.of(), list(work()));
        return stopped;
    }

    /** Live threads of imports, after a delay in which terminated executors end their last thread. */
    private static List<String> threadsOfImports() {
        long end = System.nanoTime() + 2_000_000_000L;
        List<String> threads = threadsNow();
        while (!threads.isEmpty() && System.nanoTime() < end) {
            Thread.onSpinWait();
            threads = threadsNow();
        }
        return threads;
    }

    private static List<String> threadsNow() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.matches("sluice-(import|ship|read|merge-\\d).*"))
                .toList();
    }

    private static List<Path> list(Path path) {
        try (Stream<Path> all = Files.list(path)) {
            return all.toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "DIRECT,import-begun,1",
        "DIRECT,IMPORT,1",
        "DIRECT,import-flushed,1",
        "DIRECT,import-delivered,1",
        "DIRECT,import-noted,1",
        "DIRECT,MERGE,1",
        "DIRECT,import-read,1",
        "DIRECT,INGEST,1",
        "DIRECT,VERIFY,1",
        "DIRECT,import-verified,1",
        "TWO_PASS,SAMPLE,1",
        "TWO_PASS,IMPORT,1",
        "TWO_PASS,import-flushed,1",
        "TWO_PASS,import-noted,1",
        "TWO_PASS,INGEST,1",
        "TWO_PASS,VERIFY,1",
        "MERGE,IMPORT,1",
        "MERGE,MERGE,1",
        "MERGE,INGEST,1",
        "MERGE,VERIFY,1",
        "MERGE,import-verified,1"
    })
    void pausedImportResumes(Mode mode, String when, int times) throws Exception {
        Path store = directory.resolve("store");
        try (StorageNode node = Imports.open(store)) {
            ImportPausedException paused = stop(node, mode, when, times);
            assertTrue(paused.requested());
            assertEquals(mode == Mode.MERGE, paused.undone(), paused.getMessage());
            assertNull(node.table("stock"));
            if (mode == Mode.MERGE) {
                assertEquals(List.of(), Imports.leftBehind(store));
            }
            ImportReport report = job(node, mode).run();
            String expected = mode == Mode.MERGE ? digestOfNext : digest;
            assertEquals(expected, report.digest(), report.toString());
            assertEquals(ROWS, report.rows().read(), report.toString());
            assertEquals(0, report.rows().duplicates(), report.toString());
            assertEquals(expected, node.digest("stock").digest());
        }
        assertEquals(List.of(), Imports.leftBehind(store));
    }

    /** The interrupt closes the channel through which the first files of the directory are written. */
    @Test
    void aPauseWhileTheRejectsDirectoryIsMadeIsAPause() throws Exception {
        BundleSettings bundle = new BundleSettings(directory.resolve("rejects"), "", "test");
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            ImportControl control = new ImportControl();
            Asking pause = new Asking("import-described", new AtomicInteger(1), control::pause);
            ImportJob interrupted =
                    job(node, Mode.DIRECT, bundle).observedBy(pause).controlledBy(control);
            assertThrows(ImportPausedException.class, interrupted::run);
            assertEquals(digest, job(node, Mode.DIRECT, bundle).run().digest());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "DIRECT,import-described,1",
        "DIRECT,import-flushed,1",
        "DIRECT,import-noted,1",
        "DIRECT,INGEST,1",
        "DIRECT,VERIFY,1",
        "DIRECT,import-verified,1",
        "TWO_PASS,SAMPLE,1",
        "TWO_PASS,import-flushed,1",
        "TWO_PASS,INGEST,1",
        "TWO_PASS,VERIFY,1",
        "MERGE,IMPORT,1",
        "MERGE,MERGE,1",
        "MERGE,INGEST,1",
        "MERGE,VERIFY,1"
    })
    void abandonedImportLeavesNothing(Mode mode, String when, int times) {
        Path store = directory.resolve("store");
        try (StorageNode node = Imports.open(store)) {
            stop(node, mode, when, times);
            assertTrue(ImportJob.abandon(node, TABLE, mode, JOB));
            assertNull(node.table("stock"));
            assertEquals(List.of(), Imports.leftBehind(store));
            assertTrue(ImportJob.abandon(node, TABLE, mode, JOB), "nothing to undo");
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void publicationFinishesAfterAStopRequest(Mode mode) throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            ImportControl control = new ImportControl();
            Asking asking = new Asking("PUBLISH", new AtomicInteger(1), () -> {
                assertFalse(control.pause());
            });
            ImportReport report =
                    job(node, mode).observedBy(asking).controlledBy(control).run();
            assertEquals(digest, report.digest());
            assertFalse(ImportJob.abandon(node, TABLE, mode, JOB), "it is finished");
            assertEquals(digest, node.digest("stock").digest());
        }
    }

    /** An earlier run has left nothing but the publication, and some of several nodes may have published the table. */
    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"DIRECT", "MERGE"})
    void finishedImportIsNotUndoneByAStopBeforeItsPublication(Mode mode) throws Exception {
        ImportControl pausing = new ImportControl();
        AtomicReference<Consumer<String>> faults = new AtomicReference<>(point -> {
            if (point.equals(FaultPoints.BEFORE_PUBLISH)) {
                throw new OperationFailedException("the disk is full");
            }
        });
        NodeSettings settings = NodeSettings.defaults()
                .withFaults(point -> Objects.requireNonNull(faults.get()).accept(point));
        try (StorageNode node = StorageNode.open(directory.resolve("store"), settings)) {
            assertThrows(ImportPausedException.class, job(node, mode)::run);
            faults.set(at(FaultPoints.RESUMED, () -> assertTrue(pausing.pause())));
            ImportPausedException paused =
                    assertThrows(ImportPausedException.class, job(node, mode).controlledBy(pausing)::run);
            assertFalse(paused.undone(), paused.toString());
            assertFalse(Thread.interrupted(), "the flag must be down");
            faults.set(point -> {});
            assertEquals(digest, job(node, mode).run().digest());
            assertEquals(digest, node.digest("stock").digest());
        }
    }

    private static Consumer<String> at(String when, Runnable work) {
        return point -> {
            if (point.equals(when)) {
                work.run();
            }
        };
    }

    @Test
    void stopRequestedBeforeTheStartTakesEffectAtOnce() throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            stop(node, Mode.DIRECT, "import-noted", 1);
            ImportControl control = new ImportControl();
            assertTrue(control.pause());
            ImportJob job = job(node, Mode.DIRECT).controlledBy(control);
            assertThrows(ImportPausedException.class, job::run);
            assertFalse(Thread.interrupted());
            ImportReport report = job(node, Mode.DIRECT).run();
            assertEquals(digest, report.digest());
        }
    }

    /** As a service does that stops and goes on again and again. */
    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"DIRECT", "TWO_PASS"})
    void pausesAtAnyMomentChangeNothing(Mode mode) throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            ImportReport report = null;
            for (int millis = 5; report == null; millis += 40) {
                ImportControl control = new ImportControl();
                int after = millis;
                Thread pauser = new Thread(() -> {
                    try {
                        Thread.sleep(after);
                        control.pause();
                    } catch (InterruptedException e) {
                        // The import was sooner.
                    }
                });
                // Before that nothing is known of it, and it would begin anew as the next table.
                Asking asking = new Asking("import-described", new AtomicInteger(1), pauser::start);
                if (millis > 5) {
                    pauser.start();
                }
                try {
                    ImportJob job = job(node, mode).controlledBy(control);
                    report = (millis > 5 ? job : job.observedBy(asking)).run();
                } catch (ImportPausedException e) {
                    assertTrue(e.requested() && !e.undone());
                } finally {
                    pauser.interrupt();
                    pauser.join();
                }
                assertEquals(List.of(), threadsOfImports());
            }
            assertEquals(digest, report.digest(), report.toString());
            assertEquals(ROWS, report.rows().read(), report.toString());
        }
    }

    /** Ctrl-C: an interrupt of the thread, without a control, undoes the import. */
    @ParameterizedTest
    @CsvSource({"DIRECT,IMPORT", "DIRECT,INGEST", "TWO_PASS,INGEST", "MERGE,MERGE", "DIRECT,VERIFY"})
    void anInterruptUndoes(Mode mode, String when) {
        Path store = directory.resolve("store");
        try (StorageNode node = Imports.open(store)) {
            Asking asking = new Asking(when, new AtomicInteger(1), Thread.currentThread()::interrupt);
            assertThrows(Exception.class, job(node, mode).observedBy(asking)::run);
            boolean unused = Thread.interrupted();
            assertNull(node.table("stock"));
            assertEquals(List.of(), Imports.leftBehind(store));
            assertEquals(List.of(), threadsOfImports());
        }
    }

    /** A stopped import abandons its running request, and the node cancels the step of that request. */
    @ParameterizedTest
    @CsvSource({
        "DIRECT,import-noted,1",
        "DIRECT,INGEST,1",
        "DIRECT,VERIFY,1",
        "TWO_PASS,SAMPLE,1",
        "TWO_PASS,INGEST,1",
        "TWO_PASS,import-verified,1"
    })
    void stoppedImportAbandonsItsRemoteRequest(Mode mode, String when, int times) throws Exception {
        Path store = directory.resolve("store");
        try (ServedNode served = ServedNode.open(store);
                NodeClient node = new RemoteNode(RemoteSettings.of(served.url()))) {
            stop(node, mode, when, times);
            assertEquals(digest, job(node, mode).run().digest());
            node.drop("stock");
        }
    }

    @ParameterizedTest
    @CsvSource({"DIRECT,import-noted,1", "DIRECT,INGEST,1", "TWO_PASS,INGEST,1", "MERGE,VERIFY,1"})
    void remoteNodeKeepsNothingOfAnAbandonedImport(Mode mode, String when, int times) {
        Path store = directory.resolve("store");
        try (ServedNode served = ServedNode.open(store);
                NodeClient node = new RemoteNode(RemoteSettings.of(served.url()))) {
            stop(node, mode, when, times);
            assertTrue(ImportJob.abandon(node, TABLE, mode, JOB));
            assertNull(node.table("stock"));
            assertEquals(List.of(), Imports.leftBehind(store));
        }
    }

    /** A stop does not wait for more bytes of a pipe; the bytes that it has read are lost. */
    @Test
    void stopDoesNotWaitForAHangingPipe() throws Exception {
        Path pipe = directory.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        try (StorageNode node = Imports.open(directory.resolve("store"));
                RandomAccessFile writer = new RandomAccessFile(pipe.toFile(), "rw")) {
            writer.write((Stock.line(1) + "\n").getBytes(StandardCharsets.UTF_8));
            ImportControl control = new ImportControl();
            Asking asking = new Asking("IMPORT", new AtomicInteger(1), () -> {
                Thread later = new Thread(() -> {
                    try {
                        Thread.sleep(200);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    control.pause();
                });
                later.start();
            });
            ImportSettings settings = new ImportSettings(
                    InputFormat.DEFAULT,
                    new ImportSettings.Resources(work(), ImportSettings.MIN_MEMORY_BYTES, WORKERS, 0),
                    ImportSettings.Rejects.NONE,
                    Mode.DIRECT,
                    Verification.SUMS);
            List<InputFile> inputs = List.of(new InputFile(0, "pipe", pipe, -1));
            ImportJob job = new ImportJob(node, TABLE, inputs, settings, new ImportProgress())
                    .observedBy(asking)
                    .controlledBy(control);
            assertThrows(ImportPausedException.class, job::run);
            assertNull(node.table("stock"));
        }
    }

    @Test
    void aControlIsForOneRun() throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            ImportControl control = new ImportControl();
            job(node, Mode.DIRECT).controlledBy(control).run();
            assertFalse(control.pause());
            assertThrows(IllegalStateException.class, job(node, Mode.DIRECT).controlledBy(control)::run);
        }
    }
}
