package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import io.sluice.importer.source.InputFiles;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.Stock;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.schema.TableDef;
import io.sluice.node.StorageNode;
import io.sluice.sampler.SampledPlanner;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The reported progress of an import adds up, also after a pause, and the import keeps its rate limit. */
@SuppressWarnings("NullAway.Init") // made before all tests
class ProgressTest {
    private static final int ROWS = 60_000;
    private static final int FILES = 4;
    private static final int REJECTS = 20;
    private static final long SEED = Seeds.of(ProgressTest.class);
    private static final TableDef TABLE = Imports.table(Stock.SQL);
    private static final UUID JOB = UUID.nameUUIDFromBytes(new byte[] {3});

    @TempDir
    static Path inputs;

    private static final List<Path> PATHS = new ArrayList<>();
    private static long allBytes;

    @TempDir
    Path directory;

    /** Some as they are, some compressed, each with bad rows. */
    @BeforeAll
    static void write() throws IOException {
        List<Integer> numbers = Stock.shuffled(ROWS, SEED);
        for (int i = 0; i < FILES; i++) {
            Path plain = Stock.write(
                    inputs.resolve("stock-" + i + ".csv"), numbers.subList(ROWS / FILES * i, ROWS / FILES * (i + 1)));
            List<String> lines = new ArrayList<>(Files.readAllLines(plain));
            for (int bad = 0; bad < REJECTS / FILES; bad++) {
                lines.add(1_000 * (bad + 1), "bad," + bad);
            }
            Files.write(plain, lines);
            PATHS.add(i % 2 == 0 ? plain : compressed(plain));
        }
        for (Path path : PATHS) {
            allBytes += Files.size(path);
        }
    }

    private static Path compressed(Path plain) throws IOException {
        Path file = plain.resolveSibling(plain.getFileName() + ".gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            Files.copy(plain, out);
        }
        Files.delete(plain);
        return file;
    }

    private ImportJob job(StorageNode node, Mode mode, ImportProgress progress, long bytesPerSecond)
            throws IOException {
        ImportSettings settings = new ImportSettings(
                InputFormat.DEFAULT,
                new ImportSettings.Resources(
                        Files.createTempDirectory(directory, "work-"),
                        ImportSettings.MIN_MEMORY_BYTES,
                        2,
                        bytesPerSecond),
                new ImportSettings.Rejects(RejectLimit.UNLIMITED, null),
                mode,
                Verification.SUMS);
        List<String> arguments = PATHS.stream().map(Path::toString).toList();
        SampledPlanner planner = new SampledPlanner(TABLE.indexes().size(), SEED);
        return new ImportJob(node, TABLE, InputFiles.resolve(arguments), settings, progress, JOB, planner);
    }

    private static void assertWhole(ImportProgress progress, ImportReport report) throws IOException {
        assertEquals(ImportProgress.Phase.DONE, progress.phase());
        assertEquals(FILES, progress.inputs());
        for (int i = 0; i < FILES; i++) {
            assertEquals(Files.size(PATHS.get(i)), progress.inputBytesRead(i), PATHS.get(i)::toString);
        }
        assertEquals(-1, progress.inputBytesRead(FILES));
        assertEquals(allBytes, progress.bytesTotal());
        assertEquals(allBytes, progress.bytesRead());
        assertEquals(ROWS, progress.rows());
        assertEquals((long) ROWS * TABLE.indexes().size(), progress.kvs());
        assertEquals(REJECTS, progress.rejects());
        assertEquals(progress.sstsBuilt(), progress.sstsHandedOver());
        assertEquals(report.store().ssts(), progress.sstsIngested());
        assertEquals(report.store().puts(), progress.puts());
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void progressOfAnUninterruptedImportAddsUp(Mode mode) throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            ImportProgress progress = new ImportProgress();
            assertEquals(-1, progress.puts());
            ImportReport report = job(node, mode, progress, 0).run();
            assertWhole(progress, report);
            assertEquals(0, progress.bytesBefore());
            assertEquals(mode == Mode.TWO_PASS, progress.sstsBuilt() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"DIRECT", "TWO_PASS"})
    void progressOfAPausedImportAddsUp(Mode mode) throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            ImportControl control = new ImportControl();
            AtomicInteger noted = new AtomicInteger();
            ImportEvents pausing = new ImportEvents() {
                @Override
                public void reached(String point) {
                    if (point.equals(NOTED) && noted.incrementAndGet() == 2) {
                        control.pause();
                    }
                }
            };
            ImportJob paused =
                    job(node, mode, new ImportProgress(), 0).observedBy(pausing).controlledBy(control);
            assertThrows(ImportPausedException.class, paused::run);
            ImportProgress progress = new ImportProgress();
            ImportReport report = job(node, mode, progress, 0).run();
            assertWhole(progress, report);
            assertTrue(
                    progress.bytesBefore() > 0 && progress.bytesBefore() <= allBytes,
                    () -> progress.bytesBefore() + " of " + allBytes);
            assertEquals(progress.bytesBefore(), report.bytes().readBefore());
            assertTrue(progress.recordsOfThisRun() < progress.rows(), () -> progress.recordsOfThisRun() + " records");
        }
    }

    @Test
    void rateLimitIsKept() throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            long bytesPerSecond = 2 * allBytes;
            long start = System.nanoTime();
            ImportProgress progress = new ImportProgress();
            ImportReport report =
                    job(node, Mode.DIRECT, progress, bytesPerSecond).run();
            assertTrue((System.nanoTime() - start) / 1e9 >= (double) allBytes / bytesPerSecond);
            assertWhole(progress, report);
            assertTrue(report.times().stages().containsKey("cap"), report::toString);
        }
    }

    /** At this rate it would take an hour, and half of that for one split. */
    @Test
    void importThatWaitsForItsRateCanBePaused() throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            ImportProgress progress = new ImportProgress();
            ImportControl control = new ImportControl();
            Thread pauser = new Thread(() -> {
                while (!progress.limiter().equals("cap")) {
                    Thread.onSpinWait();
                }
                control.pause();
            });
            pauser.start();
            ImportJob job = job(node, Mode.DIRECT, progress, 1024).controlledBy(control);
            assertTrue(assertThrows(ImportPausedException.class, job::run).requested());
            pauser.join();
            // The two workers may have decoded their splits after the rate limit was lifted.
            assertTrue(progress.bytesRead() < allBytes, () -> progress.bytesRead() + " of " + allBytes);
            assertFalse(Thread.interrupted());
        }
    }
}
