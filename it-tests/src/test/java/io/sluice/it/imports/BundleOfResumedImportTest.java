package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.NodeClient;
import io.sluice.importer.bundle.Bundle;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.bundle.Manifest;
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
import io.sluice.importer.job.read.OpenBundle;
import io.sluice.importer.source.InputFiles;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Stock;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.TableDef;
import io.sluice.node.StorageNode;
import io.sluice.sampler.SampledPlanner;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reject bundle of an import that a later run finishes holds all rejects, and can be replayed. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory, the set-up the input
class BundleOfResumedImportTest {
    private static final int ROWS = 1_000;
    private static final int REJECTS = 3;
    private static final int SEED = 7;
    private static final TableDef TABLE = Imports.table(Stock.SQL);
    private static final UUID JOB = UUID.nameUUIDFromBytes(new byte[] {3});

    @TempDir
    Path directory;

    private Path input;

    @BeforeEach
    void write() throws IOException {
        List<String> lines = new ArrayList<>();
        Stock.numbers(ROWS).forEach(n -> lines.add(Stock.line(n)));
        for (int i = 0; i < REJECTS; i++) {
            lines.add(i * ROWS / REJECTS, "bad," + i);
        }
        input = Files.write(directory.resolve("stock.csv"), lines);
    }

    private BundleSettings bundle(String name, BundleSettings.Choice choice) {
        return new BundleSettings(directory.resolve(name), Stock.SQL, "test", choice);
    }

    private ImportJob job(NodeClient node, Mode mode, BundleSettings bundle) throws IOException {
        return job(node, mode, bundle, JOB);
    }

    private ImportJob job(NodeClient node, Mode mode, BundleSettings bundle, @Nullable UUID id) throws IOException {
        ImportSettings settings = new ImportSettings(
                InputFormat.DEFAULT,
                new ImportSettings.Resources(
                        Files.createTempDirectory(directory, "work-"), ImportSettings.MIN_MEMORY_BYTES, 2, 0),
                new ImportSettings.Rejects(RejectLimit.UNLIMITED, bundle),
                mode,
                Verification.SUMS);
        SampledPlanner planner = new SampledPlanner(TABLE.indexes().size(), SEED);
        return new ImportJob(
                node,
                TABLE,
                InputFiles.resolve(List.of(input.toString())),
                settings,
                new ImportProgress(),
                id,
                planner);
    }

    private static void assertComplete(Path bundle) {
        Manifest manifest = Bundle.open(bundle).manifest();
        assertEquals(Manifest.State.IMPORTED, manifest.state());
        assertEquals(REJECTS, manifest.content().rejects());
    }

    /** The first run fails before it publishes. A command has another directory for each run. */
    @ParameterizedTest
    @CsvSource({"MERGE,COMMAND,second", "MERGE,USER,first", "DIRECT,COMMAND,second", "DIRECT,USER,first"})
    void bundleOfAnImportThatIsPublishedLaterIsComplete(Mode mode, BundleSettings.Choice choice, String second)
            throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            ImportJob failing = job(node, mode, bundle("first", choice)).observedBy(new ImportEvents() {
                @Override
                public void reached(String point) {
                    if (point.equals(FINISHED)) {
                        throw new IllegalStateException("a fault of the test");
                    }
                }
            });
            assertThrows(ImportPausedException.class, failing::run);
            ImportReport report = job(node, mode, bundle(second, choice)).run();
            assertEquals(REJECTS, report.rows().rejected(), report.toString());
            assertEquals(
                    directory.resolve("first").toString(),
                    report.rows().rejects().bundle());
            assertComplete(directory.resolve("first"));
        }
    }

    /** The answer to the publication of an import without an id is lost, and so is the node. */
    @Test
    void defaultBundleStaysIfTheTableMayBePublished() throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            AtomicBoolean lost = new AtomicBoolean();
            ImportJob job = job(
                    lostWithPublication(node, lost), Mode.MERGE, bundle("first", BundleSettings.Choice.COMMAND), null);
            String message = String.valueOf(
                    assertThrows(OperationFailedException.class, job::run).getMessage());
            assertTrue(message.contains("It is not known whether table stock was published"), message);
            assertTrue(lost.get());
            assertEquals(
                    ROWS,
                    Objects.requireNonNull(node.table("stock"))
                            .imported()
                            .get(0)
                            .sum()
                            .count());
        }
        Path first = directory.resolve("first");
        assertNull(OpenBundle.complete(first, first.toString()));
        assertComplete(directory.resolve("first"));
    }

    /** A node that does not answer from a publication on, which it carries out. */
    private static NodeClient lostWithPublication(StorageNode node, AtomicBoolean lost) {
        return through(
                NodeClient.class,
                node,
                lost,
                answer -> answer instanceof ImportSession session
                        ? through(ImportSession.class, session, lost, same -> same)
                        : answer);
    }

    private static <T> T through(Class<T> type, T target, AtomicBoolean lost, UnaryOperator<@Nullable Object> answer) {
        Object proxy = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, values) -> {
            Object result;
            try {
                result = lost.get() ? null : method.invoke(target, values);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            lost.compareAndSet(false, method.getName().equals("publish"));
            if (lost.get() && !method.getName().equals("close")) {
                throw new NodeUnreachableException("n1", "connection reset", new IOException("reset"));
            }
            return answer.apply(result);
        });
        return type.cast(proxy);
    }

    /** The first service stops before it reads anything, the second one when it has read everything. */
    @Test
    void rejectsThatAnotherServiceKeepsAreReadAgain() throws Exception {
        BundleSettings here = bundle("here", BundleSettings.Choice.SERVICE);
        BundleSettings there = bundle("there", BundleSettings.Choice.SERVICE);
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            pause(node, here, ImportProgress.Phase.IMPORT.name());
            pause(node, there, ImportEvents.READ);
            ImportReport report = job(node, Mode.DIRECT, here).run();
            assertEquals(REJECTS, report.rows().rejected(), report.toString());
            assertEquals(ROWS, report.rows().imported(), report.toString());
            assertComplete(directory.resolve("here"));
        }
    }

    private void pause(NodeClient node, BundleSettings bundle, String when) throws IOException {
        ImportControl control = new ImportControl();
        ImportJob paused = job(node, Mode.DIRECT, bundle).controlledBy(control).observedBy(new ImportEvents() {
            @Override
            public void reached(String point) {
                if (point.equals(when)) {
                    control.pause();
                }
            }

            @Override
            public void entered(ImportProgress.Phase phase) {
                reached(phase.name());
            }
        });
        assertThrows(ImportPausedException.class, paused::run);
    }
}
