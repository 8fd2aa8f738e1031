package io.sluice.cli.imports;

import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.options.FormatOptions;
import io.sluice.importer.options.SourceOptions;
import io.sluice.model.error.BadInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of {@code sluice import}. */
@SuppressWarnings("NullAway.Init") // picocli sets what is required
final class ImportOptions {
    private static final String UUID_FORM = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
    private static final String AUTO = "auto";

    @Option(
            names = "--schema",
            paramLabel = "FILE",
            description = "File with the DDL of the tables. Default: a table that the first input suggests.")
    @Nullable
    Path schema;

    @Option(
            names = "--store",
            paramLabel = "DIR",
            description =
                    "Directory of the store; created if missing. Required unless --nodes, --server or --dry-run is given.")
    @Nullable
    Path store;

    @Mixin
    NodesOptions target;

    @Option(
            names = "--job-id",
            paramLabel = "ID",
            description =
                    "Name or UUID of the import; the same id resumes an interrupted import; see docs/how-to/resume.md.")
    @Nullable
    String jobId;

    @Mixin
    ServerOptions server;

    @Option(
            names = "--table",
            paramLabel = "T",
            description =
                    "Table to import all inputs into. Default: the only table of the schema; with several, each input goes"
                            + " into the table that has its name.")
    @Nullable
    String table;

    @Mixin
    FormatOptions format;

    @Mixin
    SourceOptions source;

    @Option(
            names = "--mode",
            paramLabel = "M",
            defaultValue = "auto",
            description = "Import mode: auto (default), merge, direct or two-pass; 'sluice plan' compares them.")
    String mode;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description =
                    "Seed of the sample of mode two-pass. Default: 1, so that a repeated import splits at the same keys.")
    long seed = 1;

    @Option(
            names = "--append",
            description =
                    "Add the rows to an existing table, atomically at the end; the table stays readable meanwhile.")
    boolean append;

    @Option(
            names = "--dry-run",
            description = "Decode and encode all rows and report all bad rows, but import nothing.")
    boolean dryRun;

    @Mixin
    RunOptions run;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE|DIR|GLOB|URL|-",
            description = "Inputs; - is standard input, a URL begins with http(s):// or s3://.")
    List<String> inputs;

    /**
     * Validates the options without reading any file.
     *
     * @throws BadInputException if there are problems; the message lists all of them
     */
    void validate() {
        List<String> problems = new ArrayList<>();
        chosenMode();
        if (append) {
            validateAppend(problems);
        }
        if (store == null && !target.remote.given() && !dryRun) {
            problems.add("--store DIR is missing; give it, or --nodes, or --server; --dry-run needs none");
        }
        if (jobId != null && jobId.isBlank()) {
            problems.add(
                    "--job-id is empty: imports that share an id are taken for one; name this one, or leave it out");
        }
        if (store != null && target.remote.given()) {
            problems.add("give either --store or --nodes, not both");
        }
        target.validate(problems);
        server.validateAbsence(problems);
        run.validate(problems);
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
    }

    private void validateAppend(List<String> problems) {
        target.validateAppend(problems);
        if (jobId != null) {
            problems.add("--append with --job-id: an import into a table that exists cannot be resumed; leave out"
                    + " --job-id, and run it again if it is interrupted");
        }
        if (chosenMode() != null && chosenMode() != ImportSettings.Mode.MERGE) {
            problems.add("--append works in mode merge, which brings all rows in at once; leave out --mode " + mode);
        }
    }

    /** The mode of the import; null for auto, which must be resolved first. */
    ImportSettings.@Nullable Mode chosenMode() {
        String name = mode.toLowerCase(Locale.ROOT);
        if (name.equals(AUTO)) {
            return null;
        }
        for (ImportSettings.Mode each : ImportSettings.Mode.values()) {
            if (each.label().equals(name)) {
                return each;
            }
        }
        throw new BadInputException("--mode " + mode + ": must be auto, merge, direct, or two-pass");
    }

    /** The name of the mode, in lower case. */
    String modeName() {
        ImportSettings.Mode chosen = chosenMode();
        return chosen == null ? AUTO : chosen.label();
    }

    /** Number of nodes of the import; 1 for a store. */
    int nodes() {
        return Math.max(1, target.remote.names().size());
    }

    /**
     * The import id: given by --job-id, or new for nodes on a network; null for an append, which cannot be resumed, and
     * for a store without --job-id.
     *
     * @param of the table of which it is the import, in a run of several; null in a run of one
     */
    @Nullable
    UUID importId(@Nullable String of) {
        if (jobId == null) {
            return target.remote.given() && !append ? UUID.randomUUID() : null;
        }
        if (of != null) {
            return UUID.nameUUIDFromBytes((jobId + '\n' + of).getBytes(StandardCharsets.UTF_8));
        }
        return jobId.matches(UUID_FORM)
                ? UUID.fromString(jobId)
                : UUID.nameUUIDFromBytes(jobId.getBytes(StandardCharsets.UTF_8));
    }
}
