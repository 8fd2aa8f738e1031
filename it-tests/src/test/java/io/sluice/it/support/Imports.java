package io.sluice.it.support;

import io.sluice.api.node.NodeClient;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.sampler.SampledPlanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs whole imports in this process, into a store in a directory of the test's own. */
public final class Imports {
    /** The smallest budget with which an import runs. */
    public static final long SMALL_MEMORY_BYTES = ImportSettings.MIN_MEMORY_BYTES;

    private static final long SAMPLE_SEED = 5;

    private Imports() {}

    /**
     * Settings of an import that differ from the default.
     *
     * @param memoryBytes the budget
     * @param workers threads
     * @param maxRejects limit of rejects
     * @param bundle directory for rejects, or null
     * @param format format of the input
     * @param mode mode of the import
     * @param onConflict policy for rows with the same key
     * @param append whether the table exists
     */
    public record How(
            long memoryBytes,
            int workers,
            long maxRejects,
            @Nullable Path bundle,
            InputFormat format,
            Mode mode,
            ConflictPolicy onConflict,
            boolean append) {
        /** Mode merge, two workers, and an error for rows with the same key. */
        public static final How USUAL = new How(
                2 * SMALL_MEMORY_BYTES, 2, 0, null, InputFormat.DEFAULT, Mode.MERGE, ConflictPolicy.ERROR, false);

        /** These settings with another budget and number of workers. */
        public How with(long newMemoryBytes, int newWorkers) {
            return new How(newMemoryBytes, newWorkers, maxRejects, bundle, format, mode, onConflict, append);
        }

        /** These settings with a limit of rejects and a directory for them. */
        public How allowing(long rejects, @Nullable Path file) {
            return new How(memoryBytes, workers, rejects, file, format, mode, onConflict, append);
        }

        public How of(InputFormat other) {
            return new How(memoryBytes, workers, maxRejects, bundle, other, mode, onConflict, append);
        }

        public How mode(Mode other) {
            return new How(memoryBytes, workers, maxRejects, bundle, format, other, onConflict, append);
        }

        public How onConflict(ConflictPolicy policy) {
            return new How(memoryBytes, workers, maxRejects, bundle, format, mode, policy, append);
        }

        public How appending() {
            return new How(memoryBytes, workers, maxRejects, bundle, format, mode, onConflict, true);
        }

        public How twoPass() {
            return mode(Mode.TWO_PASS);
        }

        public How direct() {
            return mode(Mode.DIRECT);
        }
    }

    /** Opens a store with the default settings; the caller closes it. */
    public static StorageNode open(Path store) {
        return StorageNode.open(store, NodeSettings.defaults());
    }

    /** The first table of a schema. */
    public static TableDef table(String sql) {
        return Ddl.parse(sql, "test").get(0);
    }

    /** Imports into an open node, with a work directory of its own as the command line makes it. */
    public static ImportReport run(StorageNode node, TableDef table, How how, Path... inputs) {
        try {
            Path work = Files.createTempDirectory(node.workDirectory(), "import-");
            try {
                return run(node, work, table, how, inputs);
            } finally {
                for (Path file : filesBelow(work).toList()) {
                    Files.delete(file);
                }
                Files.delete(work);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Imports with this work directory. */
    public static ImportReport run(NodeClient node, Path work, TableDef table, How how, Path... inputs) {
        ImportSettings settings = new ImportSettings(
                how.format(),
                new ImportSettings.Resources(work, how.memoryBytes(), how.workers(), 0),
                new ImportSettings.Rejects(
                        new RejectLimit.Count(how.maxRejects()),
                        how.bundle() == null ? null : new BundleSettings(how.bundle(), "", "test")),
                how.mode(),
                how.onConflict(),
                how.append(),
                Verification.FULL,
                SstFormat.Writer.JAVA);
        List<String> arguments = Stream.of(inputs).map(Path::toString).toList();
        try {
            SampledPlanner planner = new SampledPlanner(table.indexes().size(), SAMPLE_SEED);
            return new ImportJob(
                            node, table, InputFiles.resolve(arguments), settings, new ImportProgress(), null, planner)
                    .run();
        } catch (InterruptedException e) {
            throw new AssertionError("the test was interrupted", e);
        }
    }

    /** Imports into a new store, closes it, and checks that nothing temporary is left. */
    public static ImportReport intoNewStore(Path store, TableDef table, How how, Path... inputs) {
        try (StorageNode node = open(store)) {
            return run(node, table, how, inputs);
        }
    }

    /** Copies a store that no process has open. */
    public static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Files.copy(path, to.resolve(from.relativize(path).toString()));
            }
        }
    }

    /** Files below the directories that must be empty when no import is running. */
    public static List<Path> leftBehind(Path store) {
        return Stream.of("staging", "work")
                .map(store::resolve)
                .filter(Files::exists)
                .flatMap(Imports::filesBelow)
                .toList();
    }

    private static Stream<Path> filesBelow(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(path -> !path.equals(directory)).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
