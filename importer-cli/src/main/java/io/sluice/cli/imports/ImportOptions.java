package io.sluice.cli.imports;

import io.sluice.cli.input.CsvOptions;
import io.sluice.cli.input.FormatOptions;
import io.sluice.cli.input.SourceOptions;
import io.sluice.model.error.BadInputException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of {@code sluice import}. */
@SuppressWarnings("NullAway.Init") // picocli sets what is required
final class ImportOptions {
    @Option(names = "--schema", paramLabel = "FILE", required = true, description = "File with the DDL of the table.")
    Path schema;

    @Option(
            names = "--store",
            paramLabel = "DIR",
            description =
                    "Directory of the store; created if missing. Required unless --nodes, --server or --dry-run is given.")
    @Nullable
    Path store;

    @Mixin
    TargetOptions target;

    @Mixin
    ServerOptions server;

    @Option(
            names = "--table",
            paramLabel = "T",
            description = "Table to import into. Default: the only table of the schema.")
    @Nullable
    String table;

    @Mixin
    FormatOptions format;

    @Mixin
    CsvOptions csv;

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
        ImportMode.of(mode);
        if (append) {
            validateAppend(problems);
        }
        if (store == null && !target.remote.given() && !dryRun) {
            problems.add("--store DIR is missing; give it, or --nodes, or --server; --dry-run needs none");
        }
        target.validate(store, problems);
        server.validateAbsence(problems);
        run.validate(problems);
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
    }

    private void validateAppend(List<String> problems) {
        if (target.remote.given()) {
            problems.add("--append needs --store: adding rows over the network is not available yet");
        }
        if (target.jobId != null) {
            problems.add("--append with --job-id: an import into a table that exists cannot be resumed; leave out"
                    + " --job-id, and run it again if it is interrupted");
        }
        if (!List.of(ImportMode.AUTO, ImportMode.MERGE).contains(ImportMode.of(mode))) {
            problems.add("--append works in mode merge, which brings all rows in at once; leave out --mode " + mode);
        }
    }
}
