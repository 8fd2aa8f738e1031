package io.sluice.cli.imports;

import io.sluice.cli.memory.SizeConverter;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.error.BadInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options common to {@code import} and {@code replay}: how to run, and how to treat bad rows. */
@SuppressWarnings("NullAway.Init") // picocli sets what has a default
final class RunOptions {
    /** Relative to the working directory, because an import may have no store. */
    private static final Path DEFAULT_REJECTS = Path.of("sluice-rejects");

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

    @Option(
            names = "--max-rejects",
            paramLabel = "N|P%",
            defaultValue = "0",
            description = "Number or percentage of bad rows that the import tolerates. Default: 0.")
    String maxRejects;

    @Option(
            names = "--rejects",
            paramLabel = "DIR",
            description =
                    "New directory for bad rows, to be repaired and replayed; see docs/how-to/rejects.md. Default if"
                            + " --max-rejects allows some: sluice-rejects/ID (the UUID of the job), or sluice-rejects/TABLE-N.")
    @Nullable
    Path rejects;

    @Option(names = "--no-rejects", description = "Keep no bad rows; the report counts them by reason all the same.")
    boolean noRejects;

    @Option(
            names = "--on-conflict",
            paramLabel = "P",
            defaultValue = "error",
            description =
                    "Policy for rows with the same key in the primary or a unique index: error (default), first (keep the"
                            + " first), last (keep the last), or capture (keep the first, write the others to --rejects).")
    String onConflict;

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
        try {
            rejectLimit();
        } catch (BadInputException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
        if (noRejects && rejects != null) {
            problems.add("--no-rejects with --rejects " + rejects + ": give only one of them");
        }
        try {
            if (conflictPolicy() == ConflictPolicy.CAPTURE && rejects == null) {
                problems.add("--on-conflict capture needs --rejects DIR, for the rows that are dropped");
            }
        } catch (BadInputException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
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

    /** Limit of bad rows. */
    RejectLimit rejectLimit() {
        return RejectLimit.parse(maxRejects);
    }

    /** Policy for rows with the same key. */
    ConflictPolicy conflictPolicy() {
        for (ConflictPolicy policy : ConflictPolicy.values()) {
            if (policy.label().equals(onConflict.toLowerCase(Locale.ROOT))) {
                return policy;
            }
        }
        throw new BadInputException("--on-conflict " + onConflict + ": must be error, first, last, or capture");
    }

    /**
     * Returns the bundle for bad rows; null with --no-rejects, and if none are tolerated and --rejects is not given.
     *
     * @param name name of the bundle if --rejects is not given
     * @param below name of the bundle in the directory of --rejects, for one of several; null: the directory itself
     */
    @Nullable
    BundleSettings bundle(String schema, String name, @Nullable String below) {
        boolean none = rejectLimit().equals(RejectLimit.NONE);
        if (noRejects || (rejects == null && none)) {
            return null;
        }
        String version = RunOptions.class.getPackage().getImplementationVersion();
        Path given = rejects == null || below == null ? rejects : rejects.resolve(below);
        Path directory = given == null ? DEFAULT_REJECTS.resolve(name) : given;
        return new BundleSettings(directory, schema, version == null ? "(unpackaged)" : version, rejects == null);
    }

    /** Returns the first unused default name of a bundle: TABLE-1, TABLE-2, and so on. */
    static String unusedBundle(String table) {
        int number = 1;
        while (Files.exists(DEFAULT_REJECTS.resolve(table + "-" + number))) {
            number++;
        }
        return table + "-" + number;
    }
}
