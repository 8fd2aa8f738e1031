package io.sluice.cli.imports;

import io.sluice.api.error.BadInputException;
import io.sluice.cli.input.CsvOptions;
import io.sluice.cli.input.FormatOptions;
import io.sluice.cli.input.SourceOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** All that {@code import} can be told. */
@SuppressWarnings("NullAway.Init") // picocli sets what is required
final class ImportOptions {
    @Option(names = "--schema", paramLabel = "FILE", required = true, description = "DDL of the table.")
    Path schema;

    @Option(
            names = "--store",
            paramLabel = "DIR",
            description = "Store; made when there is none. Required unless --nodes, --server or --dry-run is given.")
    @Nullable
    Path store;

    @Mixin
    TargetOptions target;

    @Mixin
    ServerOptions server;

    @Option(names = "--table", paramLabel = "T", description = "Which table, if the schema has several.")
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
            description = "auto (default), merge, direct or two-pass; 'sluice plan' tells what each would do.")
    String mode;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "For the sample of mode two-pass. Default: 1, so that an import repeated divides alike.")
    long seed = 1;

    @Option(
            names = "--append",
            description = "Add the rows to a table that exists, all at once at the end; it stays readable meanwhile.")
    boolean append;

    @Option(names = "--dry-run", description = "Decode and encode everything, import nothing, and report all bad rows.")
    boolean dryRun;

    @Mixin
    RunOptions run;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE|DIR|GLOB|URL|-",
            description = "The input; - is standard input, a URL begins with http(s):// or s3://.")
    List<String> inputs;

    /** Checks all that can be checked without looking at a file; names every problem at once. */
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
                    + " --job-id, and run it again if it is cut off");
        }
        if (!List.of(ImportMode.AUTO, ImportMode.MERGE).contains(ImportMode.of(mode))) {
            problems.add("--append works in mode merge, which brings all rows in at once; leave out --mode " + mode);
        }
    }
}
