package io.sluice.cli.imports;

import io.sluice.api.error.BadInputException;
import io.sluice.cli.input.CsvOptions;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ImportSettings.Verification;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** All that {@code import} can be told. */
@SuppressWarnings("NullAway.Init") // picocli sets what is required
final class ImportOptions {
    private static final long LEAST_MEMORY_BYTES = ImportSettings.MIN_MEMORY_BYTES;
    private static final int MEMORY_SHARE = 4;

    /** How much of the heap buffers may take by default; the rest is for what comes and goes. */
    private static final int HEAP_TENTHS = 8;

    @Option(names = "--schema", paramLabel = "FILE", required = true, description = "DDL of the table.")
    Path schema;

    @Option(names = "--store", paramLabel = "DIR", description = "Store; made when there is none.")
    @Nullable
    Path store;

    @Mixin
    RemoteOptions remote;

    @Option(
            names = "--replicas",
            paramLabel = "R",
            description = "How many nodes each part of the table is on. Default: 1.")
    @Nullable
    Integer replicas;

    @Option(
            names = "--job-id",
            paramLabel = "ID",
            description = "Name of the import, or its UUID: run again with the same one, a paused import goes on.")
    @Nullable
    String jobId;

    @Option(
            names = "--give-up-after",
            paramLabel = "SECONDS",
            description = "How long a node may be away before the import is paused. Default: 600.")
    long giveUpAfterSeconds = 600;

    @Option(names = "--table", paramLabel = "T", description = "Which table, if the schema has several.")
    @Nullable
    String table;

    @Mixin
    CsvOptions csv;

    @Option(
            names = "--mode",
            paramLabel = "M",
            defaultValue = "auto",
            description = "auto (default), merge or direct; two-pass is not available yet.")
    String mode;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Budget for buffers, such as 512m or 4g. Default: a quarter of the machine's memory.")
    @Nullable
    Long memoryBytes;

    @Option(names = "--workers", paramLabel = "N", description = "Threads. Default: one per core.")
    int workers = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--max-rejects",
            paramLabel = "N",
            description = "Bad rows to put up with before the import fails. Default: 0.")
    long maxRejects;

    @Option(names = "--rejects", paramLabel = "FILE", description = "Where bad rows are written.")
    @Nullable
    Path rejects;

    @Option(
            names = "--on-conflict",
            paramLabel = "P",
            defaultValue = "error",
            description = "What becomes of rows with the same key: error (default).")
    String onConflict;

    @Option(
            names = "--verify",
            paramLabel = "V",
            defaultValue = "sums",
            description = "sums (default): compare counts and checksums; full: also read everything back.")
    Verification verify;

    @Option(
            names = "--tmp",
            paramLabel = "DIR",
            description = "For sorted runs that memory cannot hold. Default: in the store, or the system's for --nodes.")
    @Nullable
    Path tmp;

    @Option(names = "--json", description = "Print the report as a JSON object.")
    boolean json;

    @Option(names = "--quiet", description = "No progress and no report.")
    boolean quiet;

    @Parameters(arity = "1..*", paramLabel = "FILE|DIR|GLOB|-", description = "The input; - is standard input.")
    List<String> inputs;

    /** Checks all that can be checked without looking at a file; names every problem at once. */
    void validate() {
        List<String> problems = new ArrayList<>();
        remote.check(store);
        if (replicas != null && !remote.given()) {
            problems.add("--replicas needs --nodes");
        }
        if (giveUpAfterSeconds < 0) {
            problems.add("--give-up-after " + giveUpAfterSeconds + ": must not be negative");
        }
        ImportMode chosen = ImportMode.of(mode);
        if (!chosen.available()) {
            problems.add("--mode " + chosen.optionName() + ": not available yet; use auto, merge or direct");
        }
        if (!onConflict.equals("error")) {
            problems.add("--on-conflict " + onConflict + ": not available yet; use error");
        }
        if (workers < 1) {
            problems.add("--workers " + workers + ": must be at least 1");
        }
        if (maxRejects < 0) {
            problems.add("--max-rejects " + maxRejects + ": must not be negative");
        }
        if (memoryBytes != null && memoryBytes < LEAST_MEMORY_BYTES) {
            problems.add(
                    "--memory " + memoryBytes + " bytes: must be at least " + LEAST_MEMORY_BYTES / 1024 / 1024 + "m");
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
    }

    /** What names the import for nodes: as told, or a new name for nodes on a network; null for a store without. */
    @Nullable
    UUID importId() {
        if (jobId == null) {
            return remote.given() ? UUID.randomUUID() : null;
        }
        return jobId.matches("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
                ? UUID.fromString(jobId)
                : UUID.nameUUIDFromBytes(jobId.getBytes(StandardCharsets.UTF_8));
    }

    /** The memory budget: as told, or a quarter of the machine's memory as far as the heap has room for it. */
    long memoryBudgetBytes() {
        if (memoryBytes != null) {
            return memoryBytes;
        }
        long roomBytes = Runtime.getRuntime().maxMemory() / 10 * HEAP_TENTHS;
        return Math.max(LEAST_MEMORY_BYTES, Math.min(MachineMemory.bytes() / MEMORY_SHARE, roomBytes));
    }
}
