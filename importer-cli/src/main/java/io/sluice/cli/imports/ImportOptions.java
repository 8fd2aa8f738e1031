package io.sluice.cli.imports;

import io.sluice.api.error.BadInputException;
import io.sluice.cli.input.CsvOptions;
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
            description = "Store; made when there is none. Required unless --dry-run is given.")
    @Nullable
    Path store;

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
            names = "--on-conflict",
            paramLabel = "P",
            defaultValue = "error",
            description = "What becomes of rows with the same key: error (default).")
    String onConflict;

    @Option(names = "--dry-run", description = "Decode and encode everything, import nothing, and report all bad rows.")
    boolean dryRun;

    @Mixin
    RunOptions run;

    @Parameters(arity = "1..*", paramLabel = "FILE|DIR|GLOB|-", description = "The input; - is standard input.")
    List<String> inputs;

    /** Checks all that can be checked without looking at a file; names every problem at once. */
    void validate() {
        List<String> problems = new ArrayList<>();
        ImportMode chosen = ImportMode.of(mode);
        if (!chosen.available()) {
            problems.add("--mode " + chosen.optionName() + ": not available yet; use auto, merge or direct");
        }
        if (!onConflict.equals("error")) {
            problems.add("--on-conflict " + onConflict + ": not available yet; use error");
        }
        if (store == null && !dryRun) {
            problems.add("--store DIR is missing; --dry-run needs none");
        }
        run.validate(problems);
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
    }
}
