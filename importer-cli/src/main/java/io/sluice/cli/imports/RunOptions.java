package io.sluice.cli.imports;

import io.sluice.api.error.BadInputException;
import io.sluice.cli.memory.SizeConverter;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.sst.SstFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What {@code import} and {@code replay} can be told alike: how to run, and what becomes of bad rows. */
@SuppressWarnings("NullAway.Init") // picocli sets what has a default
final class RunOptions {
    /** In the working directory: an import may have no store, and no directory is its own. */
    private static final Path DEFAULT_REJECTS = Path.of("sluice-rejects");

    private static final long LEAST_MEMORY_BYTES = ImportSettings.MIN_MEMORY_BYTES;

    @Mixin
    BudgetOptions budget = new BudgetOptions();

    @Option(
            names = "--max-rate",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Bytes of input to read in a second at most, such as 20m. Default: as many as can be.")
    @Nullable
    Long maxBytesPerSecond;

    @Option(
            names = "--max-rejects",
            paramLabel = "N|P%%",
            defaultValue = "0",
            description = "Bad rows to put up with before the import fails, or their share of all. Default: 0.")
    String maxRejects;

    @Option(
            names = "--rejects",
            paramLabel = "DIR",
            description =
                    "New directory for bad rows, to be repaired and replayed; see docs/rejects.md. Default when"
                            + " --max-rejects lets some pass: sluice-rejects/ID (the UUID of the job), or sluice-rejects/TABLE-N.")
    @Nullable
    Path rejects;

    @Option(
            names = "--on-conflict",
            paramLabel = "P",
            defaultValue = "error",
            description = "Of rows with the same key, in the primary or a unique index, not to import: any (error,"
                    + " the default), all but the first or last, or all but the first and leave them in --rejects"
                    + " (capture).")
    String onConflict;

    @Option(
            names = "--verify",
            paramLabel = "V",
            defaultValue = "sums",
            description = "sums (default): compare counts and checksums; full: also read everything back.")
    Verification verify;

    @Option(
            names = "--sst-writer",
            paramLabel = "W",
            defaultValue = "java",
            description = "Code that writes SSTs: java (default), or rocksdb, RocksDB's own writer.")
    SstFormat.Writer sstWriter;

    @Option(
            names = "--tmp",
            paramLabel = "DIR",
            description =
                    "For sorted runs that memory cannot hold. Default: in the store, or the system's for --nodes.")
    @Nullable
    Path tmp;

    @Option(names = "--json", description = "Print the report as a JSON object.")
    boolean json;

    @Option(names = "--quiet", description = "No progress and no report.")
    boolean quiet;

    /** Adds what is wrong with them. */
    void validate(List<String> problems) {
        if (budget.workers < 1) {
            problems.add("--workers " + budget.workers + ": must be at least 1");
        }
        try {
            rejectLimit();
        } catch (BadInputException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
        try {
            if (conflictPolicy() == ConflictPolicy.CAPTURE && rejects == null) {
                problems.add("--on-conflict capture needs --rejects DIR, where the rows that give way are left");
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

    /** How many bytes of input may be read in a second; 0: any. */
    long bytesPerSecond() {
        return maxBytesPerSecond == null ? 0 : maxBytesPerSecond;
    }

    /** How many bad rows are put up with. */
    RejectLimit rejectLimit() {
        return RejectLimit.parse(maxRejects);
    }

    /** What becomes of rows with the same key. */
    ConflictPolicy conflictPolicy() {
        for (ConflictPolicy policy : ConflictPolicy.values()) {
            if (policy.label().equals(onConflict.toLowerCase(Locale.ROOT))) {
                return policy;
            }
        }
        throw new BadInputException("--on-conflict " + onConflict + ": must be error, first, last, or capture");
    }

    /**
     * The bundle for bad rows of a table that some DDL declares; null when none may pass and nobody has named one.
     *
     * @param name what the bundle of a job is called when nobody has named one
     */
    @Nullable
    BundleSettings bundle(String schema, String name) {
        boolean none = rejectLimit().equals(RejectLimit.NONE);
        if (rejects == null && none) {
            return null;
        }
        String version = RunOptions.class.getPackage().getImplementationVersion();
        Path directory = rejects == null ? DEFAULT_REJECTS.resolve(name) : rejects;
        return new BundleSettings(directory, schema, version == null ? "(unpackaged)" : version, rejects == null);
    }

    /** What the bundle of an import without a name is called when nobody has named one: TABLE-1, TABLE-2, and so on. */
    static String unusedBundle(String table) {
        int number = 1;
        while (Files.exists(DEFAULT_REJECTS.resolve(table + "-" + number))) {
            number++;
        }
        return table + "-" + number;
    }
}
