package io.sluice.cli.imports;

import io.sluice.cli.ExitCode;
import io.sluice.cli.input.S3Options;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.node.LocalNodes.ImportNode;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.progress.ProgressLine;
import io.sluice.cli.progress.ProgressSnapshot;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedIngest;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.model.error.BadInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice ingest}: brings a staged set into a store or onto nodes, as a new table. */
@Command(
        name = "ingest",
        description =
                "Ingest a staged set into a store, or onto storage nodes, as a new table or into one that exists.",
        footer = {"", "The same command resumes an interrupted ingest; repeated, it changes nothing."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class IngestCommand implements Callable<Integer> {
    private final LocalNodes nodes;
    private final Console console;

    @Parameters(index = "0", paramLabel = "SET", description = "Staged set: a directory, or s3://BUCKET/PREFIX.")
    String set;

    @Mixin
    S3Options s3;

    @Option(names = "--store", paramLabel = "DIR", description = "Directory of the store; created if missing.")
    @Nullable
    Path store;

    @Mixin
    NodesOptions target;

    @Option(names = "--append", description = "Add the rows to a table that exists, all at once; with --store only.")
    boolean append;

    @Option(
            names = "--on-conflict",
            paramLabel = "P",
            description =
                    "With --append: policy for rows whose key the table has with another value: error (default) or"
                            + " last (the rows of the set replace them).")
    @Nullable
    ConflictPolicy onConflict;

    @Option(
            names = "--verify",
            paramLabel = "V",
            defaultValue = "sums",
            description =
                    "Verification: sums (default; compare counts and checksums), or full (also read all rows back).")
    Verification verify;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Number of threads that check and ship files. Default: one per core.")
    int workers = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--tmp",
            paramLabel = "DIR",
            description = "Directory for copies of SSTs on their way. Default: in the store, or with --nodes the"
                    + " system's.")
    @Nullable
    Path tmp;

    @Option(names = "--json", description = "Print the result as a JSON object.")
    boolean json;

    @Option(names = "--quiet", description = "Print nothing on success.")
    boolean quiet;

    public IngestCommand(LocalNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() {
        target.remote.check(store);
        List<String> problems = new ArrayList<>();
        target.validate(problems);
        if (workers < 1) {
            problems.add("--workers " + workers + ": must be at least 1");
        }
        if (onConflict != null && !append) {
            problems.add("--on-conflict " + onConflict.label() + ": a new table has no rows to be in conflict with; add"
                    + " --append, or give the policy to sluice build");
        }
        if (append && store == null) {
            problems.add("--append: rows can be added to tables of a --store only; import the inputs into a new table");
        }
        if (append && store != null && !Files.isDirectory(store)) {
            problems.add("--append: there is no store " + store + "; ingest without --append creates it");
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
        StagedSet opened = StagedSet.open(SetPlace.of(set, s3.settings())).forIngest();
        // From here on the command creates the store.
        try (NewStore made = store == null ? NewStore.none() : NewStore.at(store)) {
            StagedIngest.Result result = ingest(made, opened);
            result.warnings().forEach(warning -> console.err().println("sluice: " + warning));
            try (Output out = console.output()) {
                if (json) {
                    out.line(StagedText.json(opened, result.state().replace(' ', '_'), members -> {
                        members.writeBooleanField("rewritten", result.rewritten());
                        members.writeNumberField("rowsAdded", result.rows());
                        members.writeNumberField("rowsReplaced", result.replaced());
                        members.writeArrayFieldStart("warnings");
                        for (String warning : result.warnings()) {
                            members.writeString(warning);
                        }
                        members.writeEndArray();
                    }));
                } else if (!quiet) {
                    StagedText.lines(
                                    opened,
                                    result.state() + (result.rewritten() ? ", rewritten for another table id" : ""))
                            .forEach(out::line);
                    out.line(String.format(
                            Locale.ROOT, "  table     %,d rows added, %,d replaced", result.rows(), result.replaced()));
                }
            }
            return ExitCode.OK;
        }
    }

    private StagedIngest.Result ingest(NewStore made, StagedSet opened) {
        ImportNode node = store == null
                ? new ImportNode(target.open(), Path.of(System.getProperty("java.io.tmpdir")))
                : nodes.openForImport(store);
        made.opened();
        try (var client = node.client();
                WorkDirectory work = WorkDirectory.in(tmp == null ? node.workDirectory() : tmp)) {
            StagedIngest ingest = new StagedIngest(
                    opened, client, work.path(), workers, verify == Verification.FULL, target.giveUpAfterMillis());
            ConflictPolicy policy = onConflict == null ? ConflictPolicy.ERROR : onConflict;
            long startNanos = System.nanoTime();
            StagedIngest.Result result = ImportRun.watched(
                    console,
                    ProgressLine.Style.of(quiet, json, console.errIsTerminal()),
                    () -> snapshot(ingest.progress(), startNanos),
                    "ingest",
                    () -> append ? ingest.append(policy) : ingest.run());
            made.keep();
            return result;
        }
    }

    private static ProgressSnapshot snapshot(StagedIngest.Progress progress, long startNanos) {
        return new ProgressSnapshot(
                progress.phase(),
                progress.bytesDone(),
                progress.bytesTotal(),
                progress.rows(),
                System.nanoTime() - startNanos,
                "");
    }
}
