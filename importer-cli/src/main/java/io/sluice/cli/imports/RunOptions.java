package io.sluice.cli.imports;

import io.sluice.cli.memory.SizeConverter;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.options.RejectOptions;
import io.sluice.importer.sst.SstFormat;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options common to {@code import} and {@code replay}: how to run, and how to treat bad rows. */
@SuppressWarnings("NullAway.Init") // picocli sets what has a default
final class RunOptions {
    private static final long LEAST_MEMORY_BYTES = ImportSettings.MIN_MEMORY_BYTES;

    @Mixin
    BudgetOptions budget = new BudgetOptions();

    @Option(
            names = "--max-rate",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Limit of input bytes read per second, such as 20m. Default: unlimited.")
    @Nullable
    Long maxBytesPerSecond;

    @Mixin
    RejectOptions rejects = new RejectOptions();

    @Option(
            names = "--verify",
            paramLabel = "V",
            defaultValue = "sums",
            description =
                    "Verification: sums (default; compare counts and checksums), or full (also read all rows back).")
    Verification verify;

    @Option(
            names = "--sst-writer",
            paramLabel = "W",
            defaultValue = "java",
            description = "Writer of SSTs: java (default), or rocksdb (RocksDB's own).")
    SstFormat.Writer sstWriter;

    @Option(
            names = "--tmp",
            paramLabel = "DIR",
            description =
                    "Directory for sorted runs that do not fit into memory. Default: in the store, or with --nodes the"
                            + " system's.")
    @Nullable
    Path tmp;

    @Option(names = "--json", description = "Print the report as a JSON object.")
    boolean json;

    @Option(names = "--quiet", description = "Print no progress and no report.")
    boolean quiet;

    /** Validates the options and adds problems to the list. */
    void validate(List<String> problems) {
        if (budget.workers < 1) {
            problems.add("--workers " + budget.workers + ": must be at least 1");
        }
        rejects.validate(problems);
        Long memoryBytes = budget.memoryBytes;
        if (memoryBytes != null && memoryBytes < LEAST_MEMORY_BYTES) {
            problems.add(
                    "--memory " + memoryBytes + " bytes: must be at least " + LEAST_MEMORY_BYTES / 1024 / 1024 + "m");
        }
    }

    /** Limit of input bytes read per second; 0 for unlimited. */
    long bytesPerSecond() {
        return maxBytesPerSecond == null ? 0 : maxBytesPerSecond;
    }

    ImportSettings settings(
            InputFormat format, Path work, ImportSettings.Mode mode, boolean append, @Nullable BundleSettings bundle) {
        return new ImportSettings(
                format,
                new ImportSettings.Resources(work, budget.memoryBytes(), budget.workers(), bytesPerSecond()),
                new ImportSettings.Rejects(rejects.limit(), bundle),
                mode,
                rejects.policy(),
                append,
                verify,
                sstWriter);
    }

    /**
     * Returns the bundle for bad rows; null with --no-rejects, and if none are tolerated and --rejects is not given.
     *
     * @param name name of the bundle if --rejects is not given
     * @param below name of the bundle in the directory of --rejects, for one of several; null: the directory itself
     */
    @Nullable
    BundleSettings bundle(String schema, String name, @Nullable String below) {
        return rejects.bundle(schema, name, below, RunOptions.class);
    }
}
