package io.sluice.cli.imports;

import io.sluice.cli.ExitCode;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.progress.Units;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.job.staged.StoreBackup;
import io.sluice.importer.options.S3Options;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice verify}: compares every file of a staged set, or of those of a backup, with the manifest. */
@Command(
        name = "verify",
        description =
                "Compare every file of a staged set, or of those of a backup, with its manifest; name all that are"
                        + " missing or damaged.")
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class VerifyCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(
            index = "0",
            paramLabel = "SET",
            description = "Staged set, or backup of several: a directory, or s3://BUCKET/PREFIX.")
    String set;

    @Mixin
    S3Options s3;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Number of threads that read files. Default: one per core.")
    int workers = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--checkpoint",
            paramLabel = "FILE",
            description =
                    "File of the SSTs found whole: a later run with it does not read them again. Removed when all are.")
    @Nullable
    Path checkpoint;

    @Option(names = "--json", description = "Print the result as a JSON object.")
    boolean json;

    public VerifyCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (workers < 1) {
            throw new BadInputException("--workers " + workers + ": must be at least 1");
        }
        List<StagedSet> sets = StoreBackup.setsAt(SetPlace.of(set, s3.settings()));
        if (checkpoint != null && sets.size() > 1) {
            throw new BadInputException("--checkpoint: " + set + " is a backup of several tables; name the set of one");
        }
        List<String> damaged = new ArrayList<>();
        try (Output out = console.output()) {
            for (StagedSet each : sets) {
                if (!isWhole(each, damaged)) {
                    continue;
                }
                if (json) {
                    out.line(StagedText.json(each, "verified", members -> {}));
                } else {
                    StagedText.lines(each, "verified").forEach(out::line);
                }
            }
        }
        if (!damaged.isEmpty()) {
            throw new OperationFailedException(String.join("\n", damaged));
        }
        return ExitCode.OK;
    }

    /** Reads a set; adds what is wrong with it to the list. */
    private boolean isWhole(StagedSet opened, List<String> damaged) {
        List<String> problems = checkpoint == null ? opened.problems(workers) : opened.problems(workers, checkpoint);
        if (!problems.isEmpty()) {
            damaged.add(opened.place() + ": damaged or missing: "
                    + Units.plain(problems.size(), "file")
                    + "; copy the set again, or build it again:\n"
                    + String.join("\n", problems));
        }
        return problems.isEmpty();
    }
}
