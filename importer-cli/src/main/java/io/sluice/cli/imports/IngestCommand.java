package io.sluice.cli.imports;

import io.sluice.cli.ExitCode;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.node.LocalNodes.ImportNode;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.job.staged.StagedIngest;
import io.sluice.importer.job.staged.StagedSet;
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

/** {@code sluice ingest}: brings a staged set into a store or onto nodes, as a new table. */
@Command(
        name = "ingest",
        description = "Ingest a staged set into a store, or onto storage nodes, as a new table.",
        footer = {"", "The same command resumes an interrupted ingest; repeated, it changes nothing."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class IngestCommand implements Callable<Integer> {
    private final LocalNodes nodes;
    private final Console console;

    @Parameters(index = "0", paramLabel = "SET", description = "Directory of the staged set.")
    Path set;

    @Option(names = "--store", paramLabel = "DIR", description = "Directory of the store; created if missing.")
    @Nullable
    Path store;

    @Mixin
    NodesOptions target;

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
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
        StagedSet opened = StagedSet.open(set);
        // From here on the command creates the store.
        try (NewStore made = store == null ? NewStore.none() : NewStore.at(store)) {
            StagedIngest.Result result = ingest(made, opened);
            String state = result.already() ? "already ingested" : "ingested";
            try (Output out = console.output()) {
                if (json) {
                    out.line(StagedText.json(
                            opened,
                            state.replace(' ', '_'),
                            members -> members.writeBooleanField("rewritten", result.rewritten())));
                } else if (!quiet) {
                    StagedText.lines(opened, state + (result.rewritten() ? ", rewritten for another table id" : ""))
                            .forEach(out::line);
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
            StagedIngest.Result result = new StagedIngest(
                            opened,
                            client,
                            work.path(),
                            workers,
                            verify == Verification.FULL,
                            target.giveUpAfterMillis())
                    .run();
            made.keep();
            return result;
        } catch (InterruptedException e) {
            throw new OperationFailedException("the ingest was interrupted and undone", e);
        }
    }
}
