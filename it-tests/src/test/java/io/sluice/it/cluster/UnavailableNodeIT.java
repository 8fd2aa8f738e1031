package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.admit.AdmissionSettings;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.source.InputFiles;
import io.sluice.it.support.Imports;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.NodeProcesses;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.model.error.ImportPausedException;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.sampler.SampledPlanner;
import io.sluice.testing.Await;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An import waits for an unreachable or full node up to {@code --give-up-after}, reports it, and then pauses. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
@SomeTests(1)
class UnavailableNodeIT {
    private static final long SEED = Seeds.of(UnavailableNodeIT.class);
    private static final int ROWS = 8_000;
    private static final String RESERVE = "8000g";

    @TempDir
    Path directory;

    private Path schema;
    private Path rows;

    @BeforeEach
    void write() throws IOException {
        schema = Files.writeString(directory.resolve("stock.sql"), Stock.SQL);
        rows = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(ROWS, SEED));
    }

    private SluiceProcess importInto(String nodes, String mode, String patience, String... more) throws IOException {
        return SluiceProcess.start(directory, List.of(), importing(nodes, mode, "nightly", patience, more));
    }

    private String[] importing(String nodes, String mode, String jobId, String patience, String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("import", "--schema", schema.toString(), "--nodes", nodes, "--mode", mode, "--job-id", jobId));
        arguments.addAll(List.of("--give-up-after", patience, "--memory", "64m", "--workers", "2"));
        arguments.addAll(List.of(more));
        arguments.add(rows.toString());
        return arguments.toArray(new String[0]);
    }

    private static void awaitErr(SluiceProcess process, String text) throws Exception {
        Await.until(
                () -> {
                    assertTrue(process.isAlive(), process.err());
                    return process.err().contains(text);
                },
                process::err);
    }

    @Test
    void killedNodeIsNamedAndPausesAStartingImport() throws Exception {
        try (NodeProcesses nodes = NodeProcesses.start(directory, 3)) {
            SluiceProcess first = importInto(nodes.addresses(), "two-pass", "60", "--max-rate", "100k");
            // Each pass takes eight seconds, and a line of progress comes every five.
            awaitErr(first, "sample ");
            nodes.get(1).kill();
            String silent = "limited by node " + nodes.get(1).address() + ": no answer for ";
            awaitErr(first, silent);
            first.kill();
            Result killed = first.await();
            assertTrue(killed.err().contains(silent), killed.toString());

            Result paused = importInto(nodes.addresses(), "two-pass", "2").await();
            assertEquals(4, paused.exitCode(), paused.toString());
            assertTrue(
                    paused.err().contains("node " + nodes.get(1).address() + " does not answer")
                            && paused.err().contains("run the same command with --job-id nightly"),
                    paused.toString());

            SluiceProcess waiting = importInto(nodes.addresses(), "two-pass", "60");
            awaitErr(waiting, silent);
            try (NodeProcess again = nodes.get(1).startAgain()) {
                Result imported = waiting.await();
                assertEquals(0, imported.exitCode(), again.address() + ", " + imported);
                assertTrue(imported.out().contains("8,000") || imported.out().contains("8000"), imported.toString());
            }
        }
    }

    @Test
    void nodeWithoutDiskSpacePausesTheImportInEveryMode() throws Exception {
        try (NodeProcess node = NodeProcess.start(directory.resolve("full"), "--disk-reserve", RESERVE)) {
            for (Mode mode : Mode.values()) {
                String table = "stock_" + mode.name().toLowerCase(Locale.ROOT);
                schema = Files.writeString(directory.resolve(table + ".sql"), Stock.SQL.replace("stock", table));
                // A line of progress comes every five seconds.
                boolean watched = mode == Mode.DIRECT;
                Result paused = SluiceProcess.call(importing(node.address(), mode.label(), table, watched ? "6" : "1"));
                assertEquals(4, paused.exitCode(), mode + ": " + paused);
                assertTrue(
                        paused.err().contains("make room on the node's disk")
                                && (!watched || paused.err().contains("limited by disk"))
                                && paused.err().contains("run the same command with --job-id " + table),
                        mode + ": " + paused);
            }
        }
    }

    @ParameterizedTest
    // In mode merge, SSTs are on the store's disk already, and are moved: they need no room.
    @EnumSource(value = Mode.class, names = "MERGE", mode = EnumSource.Mode.EXCLUDE)
    void storeWithoutDiskSpacePausesTheImport(Mode mode) throws IOException {
        NodeSettings settings = NodeSettings.defaults();
        NodeSettings full = settings.withIngest(settings.ingest()
                .withAdmission(settings.ingest()
                        .admission()
                        .withDisk(new AdmissionSettings.Disk(8_001L << 30, 8_000L << 30))));
        var table = Imports.table(Stock.SQL);
        try (StorageNode store = StorageNode.open(directory.resolve("store"), full)) {
            ImportSettings importing = new ImportSettings(
                    InputFormat.DEFAULT,
                    new ImportSettings.Resources(
                            Files.createTempDirectory(store.workDirectory(), "import-"),
                            ImportSettings.MIN_MEMORY_BYTES,
                            2,
                            0),
                    ImportSettings.Rejects.NONE,
                    mode,
                    Verification.SUMS);
            ImportJob job = new ImportJob(
                            store,
                            table,
                            InputFiles.resolve(List.of(rows.toString())),
                            importing,
                            new ImportProgress(),
                            new UUID(1, 2),
                            new SampledPlanner(table.indexes().size(), SEED))
                    .controlledBy(new ImportControl().givingUpAfter(100));
            ImportPausedException paused = assertThrows(ImportPausedException.class, job::run);
            assertTrue(String.valueOf(paused.getMessage()).contains("make room"), paused.getMessage());
        }
    }
}
